/**
 * Calendars, feeds and the sitemap.
 */

export {
  ATOM_FEED,
  CALENDAR,
  type DocumentKind,
  JSON_FEED,
  prepareDocument,
  prepareEventCalendar,
  RSS_FEED,
} from "./feeds.ts";
export { prepareSitemap, SITEMAP_TYPES } from "./sitemap.ts";
