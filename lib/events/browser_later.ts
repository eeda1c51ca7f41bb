/** The part of this domain that browsers load when they need it. If `browser.ts` exported it, both would become one script. */

export { stateInWords, whenInWords } from "./words.ts";
