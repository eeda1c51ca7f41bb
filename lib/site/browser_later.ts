/** The part of this room that pages load only when they need it: its modules would make up one script with `browser.ts`. */

export { buildProgramme } from "./programme.ts";
export { stateInWords, whenInWords } from "./words.ts";
