/** The ways to subscribe to the events of a filter. */

import type { Filter } from "../filter.ts";
import { filterInWords } from "./filter_words.ts";
import { collectionTitle } from "../../platform/site_name.ts";
import { filterSearch, subscribeHref } from "./selection.ts";

/** A link and its label. */
export interface Labelled {
  readonly label: string;
  readonly href: string;
}

/** The site that is followed. */
export interface Where {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly name: string;
}

/** The links that put a calendar with the events of a filter into each calendar program; the last is a file. */
export function calendarSubscriptions(filter: Filter, where: Where): readonly Labelled[] {
  const { baseUrl, name } = where;
  const path = `/calendar.ics${filterSearch(filter)}`;
  const webcal = subscribeHref(baseUrl, filter);
  const outlook = new URLSearchParams({
    url: `${baseUrl}${path}`,
    name: collectionTitle(name, filterInWords(filter)),
  });
  return [
    {
      label: "Google Calendar",
      href: `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`,
    },
    { label: "Apple Calendar", href: webcal },
    { label: "Outlook", href: `https://outlook.live.com/calendar/0/addfromweb?${outlook}` },
    { label: "Download", href: path },
  ];
}

/** The paths of the feeds with the events of a filter. */
export function feedSubscriptions(filter: Filter): readonly Labelled[] {
  const search = filterSearch(filter);
  return [
    { label: "RSS", href: `/api/v1/events/rss${search}` },
    { label: "Atom", href: `/feed.atom${search}` },
    { label: "JSON Feed", href: `/feed.json${search}` },
  ];
}
