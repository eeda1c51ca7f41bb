/** The events of the home page in their groups, and the line above them. */

import { countInWords, type Counts, eventsInWords } from "../../lib/events/site/filter_words.ts";
import { calendarSubscriptions } from "../../lib/events/site/follow.ts";
import type { Group, Listing, PastYear } from "../../lib/events/site/listing.ts";
import {
  EVERYTHING,
  followHref,
  isNarrow,
  isOver,
  pastYear,
  type Selection,
  selectionHref,
} from "../../lib/events/site/selection.ts";
import { nameOfMonth } from "../../lib/events/words.ts";
import { choice, LinkList } from "../shared/LinkList.tsx";
import { useSite } from "../shared/site.tsx";

interface Arranged {
  readonly listing: Listing;
  readonly selection: Selection;
}

const LISTS = { poster: "cards", row: "lines", tile: "tiles" } as const;
const SORTS = [
  ["Soonest", { sort: null }],
  ["Newest", { sort: "announcedAt" }],
  ["Name", { sort: "name" }],
] as const satisfies readonly (readonly [string, Partial<Selection>])[];
/** The sorts of past events, of which the one that ended last comes first. */
const PAST_SORTS = [["Latest", SORTS[0][1]], SORTS[1], SORTS[2]] as const;
const VIEWS = [
  ["Cards", { view: "cards" }],
  ["List", { view: "list" }],
] as const satisfies readonly (readonly [string, Partial<Selection>])[];

/**
 * The first heading with the count and the choices beside it, then the groups, the link to the next page, and past
 * events by year; or advice if no event matches.
 */
export function Groups({ listing, selection, cards }: Arranged & {
  /** The cards of each group as HTML, list items. */
  readonly cards: readonly string[];
}) {
  const { groups, until, next, left, years } = listing;
  const [first, ...rest] = groups;
  const cardsOf = (at: number) => ({ dangerouslySetInnerHTML: { __html: cards[at] ?? "" } });
  return (
    <>
      <div class="results row" id="events" tabIndex={-1}>
        {first === undefined
          ? <h2>{adviceOf(listing, selection)}</h2>
          : <h2 id={first.id}>{first.title}</h2>}
        <Tools listing={listing} selection={{ ...selection, skip: 0 }} />
      </div>
      {first === undefined
        ? <Nothing listing={listing} selection={selection} />
        : <ul class={LISTS[first.kind]} aria-labelledby={first.id} {...cardsOf(0)} />}
      {rest.length > 0 && (
        <div class="groups row">
          {rest.map((group, at) => (
            <section key={group.id} class={classOf(group)} aria-labelledby={group.id}>
              <h2 id={group.id}>{group.title}</h2>
              <ul class={LISTS[group.kind]} {...cardsOf(at + 1)} />
            </section>
          ))}
        </div>
      )}
      {left > 0 && (
        <p class="next">
          <a
            class="plain-button"
            rel="next"
            href={selectionHref({ ...selection, skip: until })}
          >
            {nextInWords(next, left)}
          </a>
        </p>
      )}
      {years.length > 0 && !isOver(selection) && <Years years={years} selection={selection} />}
    </>
  );
}

/** Groups of one or two posters share a row, so that none is left nearly empty. */
function classOf({ kind, events: { length } }: Group): string {
  return kind === "poster" && length <= 2 ? `group group-${length}` : "group";
}

function Tools({ listing, selection }: Arranged) {
  const { count } = listing;
  const [number, ...words] = eventsInWords(listing).split(" ");
  return (
    <div class="tools row">
      <p class="count fine" role="status">
        <strong>{number}</strong> {words.join(" ")}
      </p>
      {count > 0 && (
        <details class="menu fine" name="menu">
          <summary>View</summary>
          <div class="panel">
            <Choices label="View" choices={VIEWS} selection={selection} />
            <Choices
              label="Order"
              choices={isOver(selection) ? PAST_SORTS : SORTS}
              selection={selection}
            />
          </div>
        </details>
      )}
      <Subscribe {...listing} selection={selection} />
    </div>
  );
}

function Subscribe({ selection, ...counts }: Counts & {
  readonly selection: Selection;
}) {
  const ways = [
    ...calendarSubscriptions(selection, useSite()),
    { label: "Feeds", href: followHref(selection) },
  ];
  return (
    <details class="menu fine" name="menu">
      <summary>Subscribe</summary>
      <LinkList class="panel" links={ways.map((way) => ({ ...way, rel: "noreferrer" }))}>
        <li class="what">
          <bdi>{countInWords(selection, counts)}</bdi>
        </li>
      </LinkList>
    </details>
  );
}

function Choices({ label, choices, selection }: {
  readonly label: string;
  readonly choices: readonly (readonly [string, Partial<Selection>])[];
  readonly selection: Selection;
}) {
  const links = choices.map(([text, change]) => {
    const href = selectionHref({ ...selection, ...change });
    return choice(text, href, href === selectionHref(selection), "chip");
  });
  return <LinkList class="chips row" aria-label={label} links={links} />;
}

/** The heading of a page without events, whose title says what was sought. */
function adviceOf({ suggestion }: Listing, selection: Selection): string {
  if (suggestion !== null) return "Did you mean this?";
  return isNarrow(selection) ? "Try something else." : "No upcoming events.";
}

/** Shown in place of events: the search that was probably meant, and the way to all events. */
function Nothing({ listing: { suggestion, years }, selection }: Arranged) {
  const all = selectionHref(EVERYTHING);
  if (suggestion !== null) {
    return (
      <p class="suggestion row">
        <a class="plain-button" href={selectionHref(suggestion.selection)}>
          <bdi>{suggestion.text}</bdi>: {eventsInWords(suggestion)}
        </a>
        <a href={all}>Show all events</a>
      </p>
    );
  }
  if (isNarrow(selection)) {
    return (
      <p>
        <a class="plain-button" href={all}>Show all events</a>
      </p>
    );
  }
  return years.length > 0 ? <p>Past events are listed by year below.</p> : null;
}

function Years(
  { years, selection }: { readonly years: readonly PastYear[]; readonly selection: Selection },
) {
  return (
    <section class="group" aria-labelledby="years">
      <h2 id="years">Past events</h2>
      <LinkList class="chips row" links={years.map((past) => pastLink(past, selection))} />
    </section>
  );
}

/** The link to the past events of a year, or of a month of the year that is shown. */
function pastLink({ year, count }: PastYear, selection: Selection) {
  const href = selectionHref(pastYear(year, selection));
  const isOn = isOver(selection) && selection.year?.startsWith(year) === true;
  const name = year.length === 4 ? year : nameOfMonth(year);
  return choice(`${name} (${count})`, href, isOn, "chip");
}

/** A filter of past events: their years, and the months of one of them. */
export function PastIndex({ listing: { years, months }, selection }: Arranged) {
  return (
    <details class="menu" name="menu">
      <summary class="chip">Year</summary>
      <div class="panel">
        {[years, months].filter(({ length }) => length > 0).map((spans, at) => (
          <LinkList
            key={at}
            class="chips row"
            aria-label={at === 0 ? "Years" : "Months"}
            links={spans.map((past) => pastLink(past, selection))}
          />
        ))}
      </div>
    </details>
  );
}

/** "Show the next 300 of 310 more". */
function nextInWords(next: number, left: number): string {
  if (left === 1) return "Show the last one";
  return left > next ? `Show the next ${next} of ${left} more` : `Show the last ${left}`;
}
