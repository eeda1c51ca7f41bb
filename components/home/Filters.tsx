/**
 * The filters of the home page in one row: a search form, and a chip for each filter, which opens its values. Chosen
 * values are chips of their own. They load another page, unless `islands/FiltersInPlace.tsx` handles them.
 */

import type { RenderableProps } from "preact";
import { MAX_TEXT_LENGTH } from "../../lib/events/filter.ts";
import { isSamePlace, type OfferedPlace, type OfferedPlaces } from "../../lib/events/places.ts";
import {
  chosenFilters,
  EVERYTHING,
  FILTERS,
  PERIOD_CHOICES,
  type Selection,
  selectionHref,
  selectionPairs,
} from "../../lib/events/site/selection.ts";
import { choice, Chosen, LinkList } from "../shared/LinkList.tsx";

const DAYS = ["from", "to"] as const;
/** The parameters that the form sends in its own fields. */
const FIELDS: readonly string[] = ["q", ...DAYS];

/** The most countries and towns of one country that the page offers; a search finds the others. */
const MAX_PLACES = 30;
const MAX_TOWNS = 12;

/** The search, the chosen values and the filters; the children are further ones. */
export function Filters({ selection: asked, places, children }: RenderableProps<{
  readonly selection: Selection;
  readonly places: readonly OfferedPlaces[];
}>) {
  // Each link leads to a first page.
  const selection = { ...asked, skip: 0 };
  const all = chosenFilters(selection);
  // The search field shows its text itself.
  const chosen = selection.text === "" ? all : all.slice(1);
  const rest = selectionPairs(selection).filter(([name]) => !FIELDS.includes(name));
  return (
    <search class="filters">
      <div class="filter-row row">
        <form action="/" method="get" id="search">
          <label class="hidden" for="q">Search in names, places and descriptions</label>
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
              key={`${name} ${value}`}
              type="hidden"
              name={name}
              value={value}
            />
          ))}
          <button type="submit" class="hidden">Search</button>
        </form>
        {chosen.length > 0 && (
          <Chosen class="chosen row" values={chosen} hrefOf={selectionHref}>
            {all.length > 1 && (
              <li>
                <a class="chip reset" href={selectionHref(EVERYTHING)}>Show all</a>
              </li>
            )}
          </Chosen>
        )}
        {FILTERS.map((filter) => (
          <details key={filter.name} class="menu" name="menu">
            <summary class="chip">{filter.label}</summary>
            <div class="panel">
              <Values filter={filter} selection={selection} />
              {filter.name === "statuses" && <Days selection={selection} />}
              {filter.name === "formats" && places.length > 0 && (
                <Places selection={selection} places={places} />
              )}
            </div>
          </details>
        ))}
        {children}
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
    // Of the two that are online, one is a part of the other.
    const isReplaced = (each: string) => each.startsWith("online") && value.startsWith("online");
    const changed = isOn
      ? chosen.filter((each) => each !== value)
      : [...chosen.filter((each) => !isReplaced(each)), value];
    // No event of a period is over.
    const days = value === "ended" && !isOn ? { periods: [] } : {};
    // The values belong to the list of that name.
    const href = selectionHref({ ...selection, ...days, [name]: changed } as Selection);
    return choice(text, href, isOn, "chip");
  });
  return <LinkList class="chips row" aria-label={label} links={links} />;
}

/** Towns below their countries, each with the number of its events. */
function Places({ selection, places }: {
  readonly selection: Selection;
  readonly places: readonly OfferedPlaces[];
}) {
  const linkTo = ({ name, value, count }: OfferedPlace) => {
    const others = selection.places.filter((place) => !isSamePlace(place, value));
    const isOn = others.length < selection.places.length;
    const href = selectionHref({ ...selection, places: isOn ? others : [...others, value] });
    return choice(`${name} (${count})`, href, isOn, "chip");
  };
  return (
    <ul class="places" aria-label="Places">
      {places.slice(0, MAX_PLACES).map(({ towns, ...place }) => {
        const { label, ...link } = linkTo(place);
        return (
          <li key={label}>
            <a {...link}>{label}</a>
            {towns.length > 0 && (
              <LinkList
                class="chips row"
                aria-label={place.name}
                links={towns.slice(0, MAX_TOWNS).map(linkTo)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
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
