/**
 * The filters of the programme: links, each of which changes one filter, and a search form. Without a script they
 * load another page; with one, `components/follow_filters.ts` handles them.
 */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { followFilters, type Shown } from "../components/follow_filters.ts";
import { MAX_TEXT_LENGTH } from "../lib/events/browser.ts";
import {
  chosenFilters,
  EVERYTHING,
  FILTERS,
  followHref,
  isOver,
  type Selection,
  selectionHref,
  selectionPairs,
} from "../lib/site/browser.ts";

interface FiltersProps {
  readonly selection: Selection;
  /** How many events match it. */
  readonly count: number;
  /** How many events there are in all. */
  readonly total: number;
}

const SORTS = [
  ["Soonest", { sort: null }],
  ["Newest", { sort: "announcedAt" }],
  ["Name", { sort: "name" }],
] as const satisfies readonly (readonly [string, Partial<Selection>])[];
/** Of past events the one that ended last comes first. */
const PAST_SORTS = [["Latest", SORTS[0][1]], SORTS[1], SORTS[2]] as const;
const VIEWS = [
  ["List", { view: "list" }],
  ["Cards", { view: "cards" }],
] as const satisfies readonly (readonly [string, Partial<Selection>])[];

/** The search, the filters, what is chosen, how many events match, their order and their view. */
export default function Filters({ selection: asked, count, total }: FiltersProps) {
  const [shown, setShown] = useState<Shown>({ selection: asked, count, isPending: false });
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const filters = element.current;
    return filters === null ? undefined : followFilters(filters, total, setShown);
  }, []);
  // Each link leads to a first page.
  const selection = { ...shown.selection, skip: 0 };
  const chosen = chosenFilters(selection);
  const followed = chosen.length === 0 ? "all events" : "these events";
  const rest = selectionPairs(selection).filter(([name]) => name !== "q");
  return (
    <search class="filters wide" ref={element}>
      <form action="/" method="get">
        <label class="hidden" for="q">Search in names and descriptions</label>
        <input
          id="q"
          type="search"
          name="q"
          // Later values are what the visitor types.
          defaultValue={asked.text}
          placeholder="Search events"
          maxLength={MAX_TEXT_LENGTH}
          dir="auto"
          autoComplete="off"
        />
        {rest.map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
        <button type="submit">Search</button>
      </form>
      <div class="chip-row">
        {FILTERS.map((filter) => <Chips key={filter.name} filter={filter} selection={selection} />)}
      </div>
      {chosen.length > 0 && (
        <ul class="chosen fine row" aria-label="Chosen">
          {chosen.map(({ label, without }) => (
            <li key={label}>
              <a class="chip on" href={selectionHref(without)}>
                <span class="hidden">Without</span>
                <bdi>{label}</bdi> <span aria-hidden="true">×</span>
              </a>
            </li>
          ))}
          <li>
            <a class="reset" href={selectionHref(EVERYTHING)}>Show all events</a>
          </li>
        </ul>
      )}
      <div class="found fine row">
        <p class="count" role="status" aria-busy={shown.isPending ? "true" : undefined}>
          <strong>{shown.count}</strong> {shown.count === 1 ? "event" : "events"}
        </p>
        <a class="follow" href={followHref(selection)}>Follow {followed}</a>
        <Choices
          label="Order"
          choices={isOver(selection) ? PAST_SORTS : SORTS}
          selection={selection}
        />
        <Choices label="View" choices={VIEWS} selection={selection} />
      </div>
    </search>
  );
}

/** Links of which exactly one is chosen. */
function Choices({ label, choices, selection }: {
  readonly label: string;
  readonly choices: readonly (readonly [string, Partial<Selection>])[];
  readonly selection: Selection;
}) {
  return (
    <ul class="choices row" aria-label={label}>
      {choices.map(([text, change]) => {
        const href = selectionHref({ ...selection, ...change });
        const isOn = href === selectionHref(selection);
        return (
          <li key={text}>
            <a class={isOn ? "on" : undefined} href={href} aria-current={isOn ? "true" : undefined}>
              {text}
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** A filter: links, each of which adds or removes a value. A narrow screen folds them. */
function Chips({ filter: { name, label, values }, selection }: {
  readonly filter: typeof FILTERS[number];
  readonly selection: Selection;
}) {
  const chosen: readonly string[] = selection[name];
  return (
    <details class="filter" name="filter">
      <summary class={chosen.length > 0 ? "chip on" : "chip"}>{label}</summary>
      {/* A wide screen shows the label in place of the summary. */}
      <ul class="chips row" aria-label={label}>
        {values.map(([value, text]) => {
          const isOn = chosen.includes(value);
          const changed = isOn ? chosen.filter((each) => each !== value) : [...chosen, value];
          // The values come from the list of that name.
          const href = selectionHref({ ...selection, [name]: changed } as Selection);
          return (
            <li key={value}>
              <a
                class={isOn ? "chip on" : "chip"}
                href={href}
                aria-current={isOn ? "true" : undefined}
              >
                {text}
              </a>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
