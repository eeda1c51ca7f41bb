/** The part of this domain that also runs in browsers. */

export { type FoundSection, MAX_SEARCH_LENGTH } from "./documents/found_section.ts";
