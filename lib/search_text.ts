/** What people type into the search of a page. */

/** What no page may show (HTML, section 13.2.3.5): controls and noncharacters. */
const NOT_SHOWN = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;

/** A typed text on one line of at most `length` characters, without what no page may show. */
export function searchText(typed: string | null, length: number): string {
  const line = (typed ?? "").toWellFormed().replace(/\s+/g, " ").replace(NOT_SHOWN, "").trim();
  // The last character may be half of a pair.
  return line.slice(0, length).toWellFormed();
}
