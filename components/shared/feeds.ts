/** The feeds and the calendar that every page links to. */
export const FEEDS = [
  { href: "/api/v1/events/rss", type: "application/rss+xml", title: "New events" },
  { href: "/feed.atom", type: "application/atom+xml", title: "New events (Atom)" },
  { href: "/feed.json", type: "application/feed+json", title: "New events (JSON Feed)" },
  { href: "/calendar.ics", type: "text/calendar", title: "All events" },
] as const;
