/** The events of a programme in their groups. */

import type { ComponentChildren } from "preact";
import {
  eventsInWords,
  EVERYTHING,
  type Group,
  isNarrow,
  PAGE_LENGTH,
  type PastYear,
  pastYear,
  type Programme,
  type Selection,
  selectionHref,
} from "../../lib/events/mod.ts";

interface Arranged {
  readonly programme: Programme;
  readonly selection: Selection;
}

/** The class of a group's list. */
const LISTS = { strip: "strip", poster: "cards", row: "lines", small: "pasts" } as const;

/** The groups, the link to the next page, and past events by year; or advice if no event matches. */
export function Wall({ programme, selection, cardsOf }: Arranged & {
  /** The cards of a group, each a list item. */
  cardsOf(group: Group): ComponentChildren;
}) {
  const { groups, count, until, left, years } = programme;
  return (
    <>
      {count === 0 && <Nothing programme={programme} selection={selection} />}
      {groups.map((group) => {
        const { id, title, kind } = group;
        // The heading of the featured events is for screen readers only.
        const isStrip = kind === "strip";
        return (
          <section key={id} class={isStrip ? "wide" : "group wide"} aria-labelledby={id}>
            <h2 id={id} class={isStrip ? "hidden" : undefined}>{title}</h2>
            <ul class={id === "next" ? "cards lead" : LISTS[kind]}>{cardsOf(group)}</ul>
          </section>
        );
      })}
      {left > 0 && (
        <p class="next wide">
          <a
            class="plain-button"
            rel="next"
            href={selectionHref({ ...selection, skip: until })}
          >
            {nextInWords(left)}
          </a>
        </p>
      )}
      {years.length > 0 && <Years years={years} selection={selection} />}
    </>
  );
}

/** Shown in place of events: the filters that could be removed, and the number of events without each. */
function Nothing({ programme: { remedies, years }, selection }: Arranged) {
  return (
    <div class="empty wide">
      <h2>{isNarrow(selection) ? "No event matches." : "No upcoming events."}</h2>
      {remedies.length > 0 && (
        <ul class="row" aria-label="Remove a filter">
          {remedies.map(({ label, without, count }) => (
            <li key={label}>
              <a class="chip" href={selectionHref(without)}>
                Without <bdi>{label}</bdi>: {eventsInWords(count)}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p>
        {years.length > 0 && "Past events are listed by year below. "}
        {isNarrow(selection) && <a href={selectionHref(EVERYTHING)}>Show all events</a>}
      </p>
    </div>
  );
}

/** The years of past events, folded: each leads to its page. */
function Years(
  { years, selection }: { readonly years: readonly PastYear[]; readonly selection: Selection },
) {
  return (
    <section class="group years wide" aria-labelledby="years">
      <h2 id="years">Past events</h2>
      {years.map(({ year, count, months }) => (
        <details key={year} name="year">
          <summary>
            <strong>{year}</strong> <span class="fine">{eventsInWords(count)}</span>
          </summary>
          <ul class="row">
            <li>
              <a class="chip" href={selectionHref(pastYear(year, selection))}>All of {year}</a>
            </li>
            {months.map(({ title, count, href }) => (
              <li key={href}>
                <a class="chip" href={href}>
                  {title} <span class="quiet">{count}</span>
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

/** "Show the next 300 of 310 more". */
function nextInWords(left: number): string {
  if (left === 1) return "Show the last one";
  return left > PAGE_LENGTH
    ? `Show the next ${PAGE_LENGTH} of ${left} more`
    : `Show the last ${left}`;
}
