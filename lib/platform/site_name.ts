/** The site's name unless `SITE_NAME` gives another; runs in browsers too. */
export const FOYER = "Foyer";

/** The title of a site's calendar or feed; `words` describe its events, null for all events. */
export function collectionTitle(siteName: string, words: string | null): string {
  if (words !== null) return `${siteName}: ${words}`;
  return /\bevents$/i.test(siteName) ? siteName : `${siteName} events`;
}
