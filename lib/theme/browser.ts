/** The part of this room that also runs in browsers and in the picture process. */

export { PATTERN_MEASURES, SCRIM_FADE } from "./card_style.ts";
