/**
 * The home page's query string. Its filters are those of the API. Unlike the API, a page ignores unknown parameters
 * and invalid values, since it is for people.
 */

import {
  MAX_QUERY_LENGTH,
  oneOf,
  parseQuery,
  text,
  wholeNumber,
} from "../../platform/parameters.ts";
import {
  type Filter,
  FILTER_PARAMETERS,
  filterOf,
  filterPairs,
  isReversed,
  NO_FILTER,
  type Pair,
  searchOfPairs,
} from "../filter.ts";
import { PROJECT_TYPES } from "../values.ts";
import { PERIODS } from "../days.ts";
import { periodsInWords, typeInWords } from "./filter_words.ts";
import { dateInWords, datesInWords, yearInWords } from "../words.ts";

/** The orders of the page besides *Soonest*, which groups events by their days. */
const PAGE_SORTS = ["announcedAt", "name"] as const;
const VIEWS = ["cards", "list"] as const;

/** A visitor's selection; `sort` null is the order of the groups. */
export interface Selection extends Filter {
  /** `announcedAt` has the newest first, `name` goes from A to Z; null is *Soonest*. */
  readonly sort: typeof PAGE_SORTS[number] | null;
  /** Posters, or lines with the same groups. */
  readonly view: typeof VIEWS[number];
  /** How many events are on the pages before this one. */
  readonly skip: number;
}

const SELECTION_PARAMETERS = {
  ...FILTER_PARAMETERS,
  // A search that is too long is cut.
  q: text(MAX_QUERY_LENGTH),
  sort: oneOf(PAGE_SORTS),
  view: oneOf(VIEWS),
  skip: wholeNumber(0, 999_999),
};

/** The most events on a page, so that its bytes can be cached. */
export const PAGE_LENGTH = 300;
/** The most past events on a page: they are many, and years and months lead to each. */
export const PAST_PAGE_LENGTH = 60;
/** The selection of every event. */
export const EVERYTHING: Selection = { ...NO_FILTER, sort: null, view: "cards", skip: 0 };

/** The filters with their values, and the labels of both. */
export const FILTERS = [
  {
    name: "statuses",
    label: "When",
    values: [["ongoing", "On now"], ["upcoming", "Coming up"], ["ended", "Past"]],
  },
  {
    name: "formats",
    label: "Where",
    values: [
      ["in-person", "In person"],
      ["online", "Can be followed online"],
      ["online-only", "Online only"],
    ],
  },
  {
    name: "projectTypes",
    label: "Topics",
    values: PROJECT_TYPES.map((type) => [type, typeInWords(type)] as const),
  },
] as const satisfies readonly {
  readonly name: "statuses" | "formats" | "projectTypes";
  readonly label: string;
  readonly values: readonly (readonly [value: string, label: string])[];
}[];

/** The periods that the page offers, with their labels. A visitor chooses one. */
export const PERIOD_CHOICES = PERIODS.map((period) => [period, periodsInWords([period])] as const);

/** The title of the page's document. */
export function pageTitle(title: string, siteName: string): string {
  return `${siteName} · ${title}`;
}

/** Reads a query string, with or without its `?`. */
export function parseSelection(search: string): Selection {
  if (search === "") return EVERYTHING;
  const given = parseQuery(search, SELECTION_PARAMETERS, "nothing");
  const { sort = null, view = "cards", skip = 0 } = given;
  return { ...filterOf(given), sort, view, skip };
}

/** The address of a selection, the same for all query strings that mean it. */
export function selectionHref(selection: Selection): string {
  return `/${searchOfPairs(selectionPairs(selection))}`;
}

/** The address of the page that says how to follow the events of a filter. */
export function followHref(filter: Filter): string {
  return `/follow${searchOfPairs(filterPairs(filter))}`;
}

/**
 * The query string with which the API, the feeds and the calendar choose the events of a filter. They refuse a reversed
 * range of days, so the last day is left out.
 */
export function filterSearch(filter: Filter): string {
  return searchOfPairs(filterPairs(isReversed(filter) ? { ...filter, to: null } : filter));
}

/** The parameters of a selection that differ from the default, in a fixed order. */
export function selectionPairs(selection: Selection): readonly Pair[] {
  const { sort, view, skip } = selection;
  return filterPairs(selection, [
    ["sort", sort ?? ""],
    ["view", view === "cards" ? "" : view],
    ["skip", skip > 0 ? String(skip) : ""],
  ]);
}

/** A filter that is chosen, and the selection without it. */
interface Chosen {
  readonly label: string;
  readonly without: Selection;
}

/** Every value that narrows a selection, in the order of the filters. */
export function chosenFilters(selection: Selection): readonly Chosen[] {
  const { text, places, periods, year, from, to, pinned } = selection;
  const without = (change: Partial<Selection>) => ({ ...selection, skip: 0, ...change });
  const chosen = (label: string | null, change: Partial<Selection>) =>
    label === null ? [] : [{ label, without: without(change) }];
  return [
    ...chosen(text === "" ? null : `“${text}”`, { text: "" }),
    ...FILTERS.flatMap(({ name, values }) => {
      const given: readonly string[] = selection[name];
      return given.map((value) => ({
        label: values.find(([known]) => known === value)?.[1] ?? value,
        without: without({ [name]: given.filter((each) => each !== value) }),
      }));
    }),
    ...places.map((place) => ({
      label: place,
      without: without({ places: places.filter((each) => each !== place) }),
    })),
    ...periods.map((period) => ({
      label: periodsInWords([period]),
      without: without({ periods: periods.filter((each) => each !== period) }),
    })),
    ...chosen(year && yearInWords(year), { year: null }),
    ...from !== null && to !== null && from <= to
      ? chosen(datesInWords({ startDate: from, endDate: to }), { from: null, to: null })
      : [
        ...chosen(from && `From ${dateInWords(from)}`, { from: null }),
        ...chosen(to && `Until ${dateInWords(to)}`, { to: null }),
      ],
    ...chosen(pinned === null ? null : pinned ? "Featured" : "Not featured", { pinned: null }),
  ];
}

/** Whether a selection has a filter. */
export function isNarrow(selection: Selection): boolean {
  return chosenFilters(selection).length > 0;
}

/** Whether a selection has past events alone. */
export function isOver({ statuses }: Selection): boolean {
  return statuses.length === 1 && statuses[0] === "ended";
}

/** The selection of the past events of a year or a month. */
export function pastYear(year: string, selection = EVERYTHING): Selection {
  return { ...pastOf(selection), year, sort: null, view: "cards", skip: 0 };
}

/** The past events of a selection, of whatever year. Its periods are not over. */
export function pastOf(selection: Selection): Selection {
  return { ...selection, statuses: ["ended"], periods: [], year: null };
}
