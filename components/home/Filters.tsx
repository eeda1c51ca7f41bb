/**
 * The filters of the home page in one row: a search form, and a chip for each filter, which opens its values. Chosen
 * values are chips of their own. They load another page, unless `islands/FiltersInPlace.tsx` handles them.
 */

import {
  chosenFilters,
  EVERYTHING,
  FILTERS,
  MAX_TEXT_LENGTH,
  PERIOD_CHOICES,
  type Selection,
  selectionHref,
  selectionPairs,
} from "../../lib/events/mod.ts";
import { choice, Chosen, LinkList } from "../shared/LinkList.tsx";

const DAYS = ["from", "to"] as const;
/** The parameters that the form sends in its own fields. */
const FIELDS: readonly string[] = ["q", ...DAYS];

/** The search, the chosen values and the filters. */
export function Filters({ selection: asked }: { readonly selection: Selection }) {
  // Each link leads to a first page.
  const selection = { ...asked, skip: 0 };
  const chosen = chosenFilters(selection);
  const rest = selectionPairs(selection).filter(([name]) => !FIELDS.includes(name));
  return (
    <search class="filters">
      <div class="filter-row row">
        <form action="/" method="get" id="search">
          <label class="hidden" for="q">Search in names and descriptions</label>
          <input
            id="q"
            type="search"
            name="q"
            value={asked.text}
            placeholder="Search"
            maxLength={MAX_TEXT_LENGTH}
            dir="auto"
            autoComplete="off"
          />
          {rest.map(([name, value]) => (
            <input
              key={name}
              type="hidden"
              name={name}
              value={value}
            />
          ))}
          <button type="submit" class="hidden">Search</button>
        </form>
        {chosen.length > 0 && (
          <Chosen class="chosen row" values={chosen} hrefOf={selectionHref}>
            {chosen.length > 1 && (
              <li>
                <a class="chip reset" href={selectionHref(EVERYTHING)}>Show all</a>
              </li>
            )}
          </Chosen>
        )}
        {FILTERS.map((filter) => (
          <details key={filter.name} class="filter" name="filter">
            <summary class="chip">{filter.label}</summary>
            <div class="panel">
              <Values filter={filter} selection={selection} />
              {filter.name === "statuses" && <Days selection={selection} />}
            </div>
          </details>
        ))}
      </div>
    </search>
  );
}

/** Links, each of which adds or removes a value of a filter. */
function Values({ filter: { name, label, values }, selection }: {
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
  return <LinkList class="chips row" aria-label={label} links={links} />;
}

/** Days that many ask for, and the first and the last day as fields of the search form. */
function Days({ selection }: { readonly selection: Selection }) {
  const links = PERIOD_CHOICES.map(([period, label]) => {
    const isOn = selection.periods.includes(period);
    const days = { periods: isOn ? [] : [period], from: null, to: null };
    return choice(label, selectionHref({ ...selection, ...days }), isOn, "chip");
  });
  return (
    <>
      <LinkList class="chips row" aria-label="Days" links={links} />
      <div class="days row">
        {DAYS.map((name) => (
          <label key={name} class="fine">
            {name === "from" ? "From" : "Until"}{" "}
            <input type="date" form="search" name={name} value={selection[name] ?? ""} />
          </label>
        ))}
        {/* A script sends the form by itself. */}
        <button type="submit" form="search">Show</button>
      </div>
    </>
  );
}
