/** The part of this room that also runs in browsers and in the picture process. */

export { INKS, PATTERN_MEASURES, SCRIM_FADE } from "./card_style.ts";
