/** Colours, their contrast, and how the card of each event looks. */

export { cardStyles, GROUNDS, heroStyles, INKS } from "./card_style.ts";
export { clamp, type Color, contrast, parseColor, toHex, toOklch, WHITE } from "./color.ts";
export { NAMED_COLORS } from "./color_names.ts";
export { readable, TEXT_RATIO } from "./contrast.ts";
export { type CardLook, cardLook, lookClass, lookStyles, PATTERNS, plainLook } from "./theme.ts";
