/** The site's name unless `SITE_NAME` gives another; runs in browsers too. */
export const FOYER = "Foyer";

/** What a calendar or a feed of a site is called; `words` say which events it has, null if all. */
export function collectionTitle(siteName: string, words: string | null): string {
  if (words !== null) return `${siteName}: ${words}`;
  return /\bevents$/i.test(siteName) ? siteName : `${siteName} events`;
}
