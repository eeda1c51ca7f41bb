/** The part of this room that also runs in browsers and in the picture process. */

export { FOYER } from "../site_name.ts";
export { isGradient, SITE_LOGO } from "./logo_shapes.ts";
export { FILTERS } from "./programme_query.ts";
export { filterInWords } from "./filter_words.ts";
export { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, oneLine, shortName } from "./short_text.ts";
