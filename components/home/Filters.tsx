/**
 * The filters of the programme: links, each of which changes one filter, and a search form. They load another page,
 * unless `islands/FiltersInPlace.tsx` handles them.
 */

import { MAX_TEXT_LENGTH } from "../../lib/events/browser.ts";
import {
  calendarSubscriptions,
  chosenFilters,
  countInWords,
  type Counts,
  EVERYTHING,
  feedSubscriptions,
  FILTERS,
  followHref,
  isOver,
  type Selection,
  selectionHref,
  selectionPairs,
} from "../../lib/events/mod.ts";
import { choice, Chosen, LinkList } from "../shared/LinkList.tsx";
import { useSite } from "../shared/site.tsx";

interface FiltersProps extends Counts {
  readonly selection: Selection;
}

const SORTS = [
  ["Soonest", { sort: null }],
  ["Newest", { sort: "announcedAt" }],
  ["Name", { sort: "name" }],
] as const satisfies readonly (readonly [string, Partial<Selection>])[];
/** The sorts of past events, of which the one that ended last comes first. */
const PAST_SORTS = [["Latest", SORTS[0][1]], SORTS[1], SORTS[2]] as const;
const DAYS = ["from", "to"] as const;
/** The parameters that the form sends in its own fields. */
const FIELDS: readonly string[] = ["q", ...DAYS];
const VIEWS = [
  ["List", { view: "list" }],
  ["Cards", { view: "cards" }],
] as const satisfies readonly (readonly [string, Partial<Selection>])[];

/** The search, the filters, the chosen values, the number of matching events, their order and their view. */
export function Filters({ selection: asked, ...counts }: FiltersProps) {
  // Each link leads to a first page.
  const selection = { ...asked, skip: 0 };
  const chosen = chosenFilters(selection);
  const rest = selectionPairs(selection).filter(([name]) => !FIELDS.includes(name));
  return (
    <search class="filters wide">
      <form action="/" method="get" id="search">
        <label class="hidden" for="q">Search in names and descriptions</label>
        <input
          id="q"
          type="search"
          name="q"
          value={asked.text}
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
        <Days asked={asked} isOn={selection.from !== null || selection.to !== null} />
      </div>
      {chosen.length > 0 && (
        <Chosen class="chosen fine row" values={chosen} hrefOf={selectionHref}>
          <li>
            <a class="reset" href={selectionHref(EVERYTHING)}>Show all events</a>
          </li>
        </Chosen>
      )}
      <div class="found fine row">
        <p class="count" role="status">
          <strong>{counts.count}</strong> {counts.count === 1 ? "event" : "events"}
        </p>
        <Subscribe {...counts} selection={selection} />
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

/** The first and the last day: fields of the search form. */
function Days({ asked, isOn }: { readonly asked: Selection; readonly isOn: boolean }) {
  return (
    <details class="filter" name="filter">
      <summary class={isOn ? "chip on" : "chip"}>Days</summary>
      <ul class="chips row" aria-label="Days">
        {DAYS.map((name) => (
          <li key={name}>
            <label class="fine" for={name}>{name}</label>{" "}
            <input
              id={name}
              type="date"
              form="search"
              name={name}
              value={asked[name] ?? ""}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The calendars and feeds with the events of the page. */
function Subscribe({ selection, ...counts }: FiltersProps) {
  const ways = [
    ...calendarSubscriptions(selection, useSite()),
    ...feedSubscriptions(selection),
    { label: "How to follow", href: followHref(selection) },
  ];
  return (
    <details class="calendars follow">
      <summary class="chip">Subscribe</summary>
      <LinkList links={ways.map((way) => ({ ...way, rel: "noreferrer" }))}>
        <li class="what">
          <bdi>{countInWords(selection, counts)}</bdi>
        </li>
      </LinkList>
    </details>
  );
}

/** Links of which exactly one is chosen. */
function Choices({ label, choices, selection }: {
  readonly label: string;
  readonly choices: readonly (readonly [string, Partial<Selection>])[];
  readonly selection: Selection;
}) {
  const links = choices.map(([text, change]) => {
    const href = selectionHref({ ...selection, ...change });
    return choice(text, href, href === selectionHref(selection));
  });
  return <LinkList class="choices row" aria-label={label} links={links} />;
}

/** A filter: links, each of which adds or removes a value. A narrow screen folds them. */
function Chips({ filter: { name, label, values }, selection }: {
  readonly filter: typeof FILTERS[number];
  readonly selection: Selection;
}) {
  const chosen: readonly string[] = selection[name];
  const links = values.map(([value, text]) => {
    const isOn = chosen.includes(value);
    const changed = isOn ? chosen.filter((each) => each !== value) : [...chosen, value];
    // The values belong to the list of that name.
    const href = selectionHref({ ...selection, [name]: changed } as Selection);
    return choice(text, href, isOn, "chip");
  });
  return (
    <details class="filter" name="filter">
      <summary class={chosen.length > 0 ? "chip on" : "chip"}>{label}</summary>
      {/* A wide screen shows the label in place of the summary. */}
      <LinkList class="chips row" aria-label={label} links={links} />
    </details>
  );
}
