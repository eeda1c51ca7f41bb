/** How to follow the events of a filter: calendars, feeds, and the page *Follow*. */

import { escapeText } from "../../platform/escape.ts";
import { absolute, blocks, link, list } from "../../platform/markdown.ts";
import { DEFAULT_EMBEDDED, embedHref, frameHtml, LIST_SIZE } from "./embed.ts";
import type { Filter } from "../filter.ts";
import { DEFAULT_FEED_LIMIT } from "../query.ts";
import { twinOf } from "../../platform/http/negotiate.ts";
import { collectionTitle } from "../../platform/site_name.ts";
import { countInWords, type Counts, filterInWords, lowerFirst } from "./filter_words.ts";
import {
  chosenFilters,
  filterSearch,
  followHref,
  type Selection,
  selectionHref,
} from "./selection.ts";
import type { Labelled, Site } from "./site.ts";

type Where = Pick<Site, "baseUrl" | "name">;

/** The heading and the sentence below it. */
export const FOLLOW = {
  title: "Follow",
  summary:
    "New events, and changes to those that you know, reach you in your calendar, in a feed reader " +
    "or in your own program.",
} as const;

/** The links that put a calendar with the events of a filter into each calendar program. */
export function calendarSubscriptions(filter: Filter, where: Where): readonly Labelled[] {
  const { baseUrl, name } = where;
  const path = `/calendar.ics${filterSearch(filter)}`;
  const webcal = `${baseUrl.replace(/^https?:/, "webcal:")}${path}`;
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
    { label: "Outlook.com", href: `https://outlook.live.com/calendar/0/addfromweb?${outlook}` },
    {
      label: "Outlook at work or school",
      href: `https://outlook.office.com/calendar/0/addfromweb?${outlook}`,
    },
  ];
}

/** The paths of the feeds with the events of a filter. */
function feedSubscriptions(filter: Filter): readonly Labelled[] {
  const search = filterSearch(filter);
  return [
    { label: "RSS", href: `/api/v1/events/rss${search}` },
    { label: "Atom", href: `/feed.atom${search}` },
    { label: "JSON Feed", href: `/feed.json${search}` },
  ];
}

/** The link to the page on which visitors choose which events they follow, by its filters. */
export function chooseLink(selection: Selection): Labelled {
  return { label: "Choose which events", href: selectionHref({ ...selection, skip: 0 }) };
}

/**
 * The ways to follow the events of a filter: what each does and contains, links, and the addresses that a visitor
 * copies into another program.
 */
export function followWays(filter: Filter, where: Where) {
  const { baseUrl } = where;
  const search = filterSearch(filter);
  const words = filterInWords(filter);
  const some = words === null ? "all events" : lowerFirst(words);
  const frame = `${baseUrl}${embedHref({ filter, limit: DEFAULT_EMBEDDED, theme: "auto" })}`;
  const last = `the ${DEFAULT_FEED_LIMIT} announced last`;
  return [
    {
      title: "In your calendar",
      about: "Subscribe once: new events appear by themselves, changed dates move, and withdrawn " +
        `events are cancelled. The calendar contains ${some}; a download does not update itself.`,
      links: [
        ...calendarSubscriptions(filter, where),
        { label: "Download", href: `/calendar.ics${search}` },
      ],
      copied: [{
        label: "Address for any other calendar",
        text: `${baseUrl}/calendar.ics${search}`,
      }],
    },
    {
      title: "In a feed reader",
      about: "Give your reader one of these addresses, and it shows each event when it is " +
        `announced. Each feed contains ${words === null ? last : `${some}: ${last}`}.`,
      links: [],
      copied: feedSubscriptions(filter)
        .map(({ label, href }) => ({ label, text: `${baseUrl}${href}` })),
    },
    {
      title: "On your own site",
      about: `A line of HTML shows the next of ${some} in a frame, and needs no script.`,
      links: [{ label: "Read how", href: "/docs/embed" }],
      copied: [{ label: "HTML", text: frameHtml(frame, words ?? "Events", LIST_SIZE) }],
    },
    {
      title: "In your own program",
      about: `The API answers with ${some} as JSON, in full, and needs no key.`,
      links: [{ label: "Read how", href: "/docs/events" }],
      copied: [{ label: "Command", text: `curl "${baseUrl}/api/v1/events${search}"` }],
    },
  ];
}

/** The page as markdown; `counts` is null if the number of the events is not known. */
export function followMarkdown(
  selection: Selection,
  where: Where,
  counts: Counts | null,
): string {
  const { baseUrl } = where;
  const to = ({ label, href }: Labelled) => link(label, absolute(href, baseUrl));
  const chosen = chosenFilters(selection).map(({ label, without }) =>
    to({ label: `Without ${label}`, href: twinOf(followHref(without)) })
  );
  return blocks(
    `# ${FOLLOW.title}`,
    FOLLOW.summary,
    counts === null ? null : escapeText(`${countInWords(selection, counts)}.`),
    list([to(chooseLink(selection)), ...chosen]),
    ...followWays(selection, where).flatMap(({ title, about, links, copied }) => [
      `## ${title}`,
      escapeText(about),
      list(links.map(to)),
      ...copied.map(({ label, text }) =>
        `${label}:\n\n\`\`\`${label === "HTML" ? "html" : "sh"}\n${text}\n\`\`\``
      ),
    ]),
  );
}
