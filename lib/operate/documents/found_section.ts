/** The search as browsers know it. */

/** A longer search is cut to this length. */
export const MAX_SEARCH_LENGTH = 100;

/** A section that a search found, as `/docs/search.json` lists it. */
export interface FoundSection {
  /** Its path and anchor. */
  readonly href: string;
  readonly title: string;
  /** The title of the document around it; "" for the document itself. */
  readonly within: string;
  /** The text around the first word. */
  readonly excerpt: string;
}
