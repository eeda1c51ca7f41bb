/**
 * The catalog for other programs: calendars and feeds for subscribers, and the sitemap for search engines.
 */

export {
  ATOM_FEED,
  CALENDAR,
  type FeedKind,
  JSON_FEED,
  prepareEventCalendar,
  prepareFeed,
  RSS_FEED,
} from "./feeds.ts";
export { prepareSitemap, SITEMAP_TYPES } from "./sitemap.ts";
