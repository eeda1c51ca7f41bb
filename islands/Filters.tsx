/**
 * The filters of the programme: links, each of which changes one filter, and a search form. Without a script they
 * load another page; with one, `components/follow_filters.tsx` handles them.
 */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { PROJECT_TYPES } from "../lib/events/browser.ts";
import { followFilters, type Shown } from "../components/follow_filters.tsx";
import {
  EVERYTHING,
  isNarrow,
  MAX_TEXT_LENGTH,
  PARAMETERS,
  type Selection,
  selectionHref,
  selectionPairs,
  subscribeHref,
} from "../lib/site/browser.ts";

interface FiltersProps {
  readonly selection: Selection;
  /** How many events match it. */
  readonly count: number;
  /** How many events there are in all. */
  readonly total: number;
  readonly baseUrl: string;
}

const STATUSES = [["ongoing", "On now"], ["upcoming", "Coming up"], ["ended", "Past"]] as const;
const FORMATS = [["in-person", "In person"], ["online", "Online"]] as const;
const TYPES = PROJECT_TYPES.map((type) => [type, type === "Gamedev" ? "Games" : type] as const);
const SORTS = [
  ["On now first", { sort: null, order: "desc" }],
  ["Newest", { sort: "announcedAt", order: "desc" }],
  ["Date", { sort: "startDate", order: "asc" }],
  ["Name", { sort: "name", order: "asc" }],
] as const satisfies readonly (readonly [string, Pick<Selection, "sort" | "order">])[];

/** The search, the filters, the order, and how many events match. */
export default function Filters({ selection: asked, count, total, baseUrl }: FiltersProps) {
  const [shown, setShown] = useState<Shown>({ selection: asked, count, isPending: false });
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const filters = element.current;
    return filters === null ? undefined : followFilters(filters, total, setShown);
  }, []);
  // Each link leads to a first page.
  const selection = { ...shown.selection, from: 0 };
  const statuses = selection.statuses.map((status) => status === "ended" ? "past" : status);
  const rest = selectionPairs(selection).filter(([name]) => name !== PARAMETERS.text);
  return (
    <search class="filters wide" ref={element}>
      <form action="/" method="get">
        <label class="hidden" for="q">Search in names and descriptions</label>
        <input
          id="q"
          type="search"
          name={PARAMETERS.text}
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
        <Chips label="When" name="statuses" values={STATUSES} selection={selection} />
        <Chips label="Where" name="formats" values={FORMATS} selection={selection} />
        <Chips label="What" name="projectTypes" values={TYPES} selection={selection} />
      </div>
      <div class="found fine row">
        <p class="count" role="status" aria-busy={shown.isPending ? "true" : undefined}>
          <strong>{shown.count}</strong> {shown.count === 1 ? "event" : "events"}
        </p>
        <ul class="sorts row" aria-label="Order">
          {SORTS.map(([label, order]) => {
            const isOn = selection.sort === order.sort;
            return (
              <li key={label}>
                <a
                  class={isOn ? "on" : undefined}
                  href={selectionHref({ ...selection, ...order })}
                  aria-current={isOn ? "true" : undefined}
                >
                  {label}
                </a>
              </li>
            );
          })}
        </ul>
        <a class="subscribe" href={subscribeHref(baseUrl, selection.statuses)}>
          Subscribe to {statuses.join(" and ") || "all"} events
        </a>
        {isNarrow(selection) && (
          <a class="reset" href={selectionHref(EVERYTHING)}>Show all events</a>
        )}
      </div>
    </search>
  );
}

function Chips({ label, name, values, selection }: {
  readonly label: string;
  readonly name: "statuses" | "formats" | "projectTypes";
  readonly values: readonly (readonly [value: string, label: string])[];
  readonly selection: Selection;
}) {
  const chosen: readonly string[] = selection[name];
  return (
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
  );
}
