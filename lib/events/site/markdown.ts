/** The pages about events as markdown, with the facts of their HTML and absolute links. */

import { memoizeLast } from "../../platform/memoize.ts";
import { descriptionMarkdown } from "../description.ts";
import { calendarLinks } from "./calendar_links.ts";
import { escapeText } from "../../platform/escape.ts";
import { absolute, blocks, link, list } from "../../platform/markdown.ts";
import {
  actionOf,
  detailsOf,
  type Fact,
  NO_DESCRIPTION,
  requirementsOf,
  scheduleOf,
} from "./facts.ts";
import { twinOf } from "../../platform/http/negotiate.ts";
import { mapInSlices } from "../../platform/timeout.ts";
import { type Event, eventHref } from "../model.ts";
import { stateInWords, whenInWords, whereInWords, yearInWords } from "../words.ts";
import { countInWords, eventsInWords } from "./filter_words.ts";
import { OTHERS } from "./others.ts";
import type { Listing, PastYear } from "./listing.ts";
import {
  EVERYTHING,
  followHref,
  isNarrow,
  isOver,
  pastYear,
  type Selection,
  selectionHref,
} from "./selection.ts";

/** The context of every page about events. */
interface PageContext {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
}

/** The home page. `total` is the count of all events. The lines of events are made in slices. */
export async function listingMarkdown(
  listing: Listing,
  selection: Selection,
  total: number,
  context: PageContext,
): Promise<string> {
  const { baseUrl } = context;
  const { title, groups, greeting, until, left, years, months, suggestion } = listing;
  const twinLink = (text: string, change: Partial<Selection>) =>
    link(text, `${baseUrl}${twinOf(selectionHref({ ...selection, ...change }))}`);
  const linksTo = (pasts: readonly PastYear[]) =>
    list(
      pasts.map(({ year, count }) =>
        `${twinLink(yearInWords(year), pastYear(year, selection))}: ${eventsInWords({ count })}`
      ),
    );
  const past = years.length === 0
    ? []
    : ["## Past events", linksTo(years), ...months.length > 0 ? [linksTo(months)] : []];
  const lists: string[] = [];
  for (const { title, events } of groups) {
    lists.push(
      `## ${title}`,
      list(await mapInSlices(events, (event) => eventLine(event, context))),
    );
  }
  return blocks(
    `# ${title}`,
    greeting,
    total === 0 ? nothing(baseUrl) : eventsInWords(listing),
    suggestion === null
      ? null
      : `Did you mean ${twinLink(suggestion.text, suggestion.selection)}? ${
        eventsInWords(suggestion)
      }`,
    isNarrow(selection) ? link("Show all events", `${baseUrl}/`) : null,
    ...isOver(selection) ? past : [],
    ...lists,
    left === 0 ? null : twinLink(`The next of ${left} more`, { skip: until }),
    ...isOver(selection) ? [] : past,
    isNarrow(selection)
      ? link(`Follow ${countInWords(selection, listing)}`, `${baseUrl}${followHref(selection)}`)
      : following(baseUrl),
  );
}

/** The page of an event. */
export function eventMarkdown(
  event: Event,
  others: readonly Event[],
  context: PageContext,
): string {
  const { baseUrl, today, timeZone } = context;
  const action = actionOf(event);
  const calendars = calendarLinks(event, context)
    .map(({ label, href }) => link(label, absolute(href, baseUrl))).join(", ");
  const requirements = requirementsOf(event);
  const facts = [...scheduleOf(event), ...detailsOf(event, timeZone)];
  return blocks(
    `# ${escapeText(event.name)}`,
    summary(event, today),
    event.description === null ? NO_DESCRIPTION : descriptionMarkdown(event.description),
    requirements.length === 0 ? null : "## Requirements",
    list(requirements.map(escapeText)),
    "## Details",
    list(facts.map((fact) => factLine(fact, baseUrl))),
    "## Links",
    list([
      link(action.label, absolute(action.href, baseUrl)),
      ...(calendars === "" ? [] : [`Add to calendar: ${calendars}`]),
      following(baseUrl),
    ]),
    others.length === 0 ? null : `## ${OTHERS}`,
    list(others.map((other) => eventLine(other, context))),
  );
}

/** Some events, each on a line with links to its page and to the organiser's. */
export function eventsMarkdown(events: readonly Event[], context: PageContext): string {
  return blocks(
    eventsInWords({ count: events.length }),
    list(events.map((event) => eventLine(event, context))),
  );
}
const lineOf = memoizeLast<Event, string>();

function eventLine(event: Event, { baseUrl, today }: PageContext): string {
  return lineOf(event, `${baseUrl} ${today}`, () => {
    const { label, href } = actionOf(event);
    const name = link(event.name, `${baseUrl}${eventHref(event.slug)}`);
    return `${name}: ${summary(event, today)}. ${link(label, absolute(href, baseUrl))}`;
  });
}

/** "now, until tomorrow, Berlin". */
function summary(event: Event, today: string): string {
  const words = [stateInWords(event, today), whenInWords(event, today), whereInWords(event)];
  return words.filter((each) => each !== null).map(escapeText).join(", ");
}

function factLine({ name, parts }: Fact, baseUrl: string): string {
  const texts = parts.map(({ text, href, days, what }) => {
    if (href !== undefined) return link(text, absolute(href, baseUrl));
    if (days === undefined) return escapeText(text);
    const { startDate, endDate } = days;
    const isRange = endDate !== null && endDate !== startDate;
    const words = what === undefined ? text : `${what} ${text}`;
    return `${escapeText(words)} (${startDate}${isRange ? ` to ${endDate}` : ""})`;
  });
  return `${name}: ${texts.join(", ")}`;
}

function following(baseUrl: string): string {
  return link("Follow all events", `${baseUrl}${followHref(EVERYTHING)}`);
}

function nothing(baseUrl: string): string {
  const calendar = link("subscribe to the calendar", `${baseUrl}/calendar.ics`);
  const feed = link("follow the feed", `${baseUrl}/api/v1/events/rss`);
  return `No events have been announced yet. To hear of the first, ${calendar} or ${feed}.`;
}
