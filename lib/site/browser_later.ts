/**
 * The part of this room that pages load only when they need it. If `browser.ts` exported it, both would become one
 * script.
 */

export { stateInWords, whenInWords } from "./words.ts";
