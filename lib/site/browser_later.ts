/**
 * The part of this room that pages load only when they need it. If `browser.ts` exported it, both would become one
 * script.
 */

export { buildProgramme } from "./programme.ts";
export { stateInWords, whenInWords } from "./words.ts";
