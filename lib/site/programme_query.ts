/**
 * The home page's query string. Parameters have the names of the API's list; unlike the API, a page ignores what it
 * does not understand, since it is for people.
 */

import { searchText } from "../text.ts";
import {
  EVENT_FORMATS,
  EVENT_STATUSES,
  type EventFormat,
  type EventStatus,
  PROJECT_TYPES,
  type ProjectType,
} from "../events/browser.ts";

/** The orders of the page besides *Soonest*, which groups events by their days. */
const PAGE_SORTS = ["announcedAt", "name"] as const;
/** The views of the page. */
const VIEWS = ["list", "cards"] as const;

/** What a visitor selects. An empty list means all, and `sort` null the order of the groups. */
export interface Selection {
  readonly statuses: readonly EventStatus[];
  readonly formats: readonly EventFormat[];
  readonly projectTypes: readonly ProjectType[];
  /** The year of the event's last day, or of its first if it has no end; null for any. */
  readonly year: string | null;
  /** Words in the name or description; "" for any. */
  readonly text: string;
  /** `announcedAt` has the newest first, `name` goes from A to Z; null is *Soonest*. */
  readonly sort: typeof PAGE_SORTS[number] | null;
  /** Lines by month below the first cards, or cards alone. */
  readonly view: typeof VIEWS[number];
  /** How many events are on the pages before this one. */
  readonly from: number;
}

/** The parameters of the page's address. */
export const PARAMETERS = {
  statuses: "status",
  formats: "format",
  projectTypes: "projectType",
  year: "year",
  text: "q",
  sort: "sort",
  view: "view",
  from: "from",
  /** Requests the part of the page that a script replaces. */
  part: "part",
} as const;

/** Events on a page, so that its bytes can be cached. */
export const PAGE_LENGTH = 300;
/** A longer query string counts as empty. */
const MAX_QUERY_LENGTH = 2_000;
/** A longer search is cut. */
export const MAX_TEXT_LENGTH = 100;

/** The selection that asks for everything. */
export const EVERYTHING: Selection = {
  statuses: [],
  formats: [],
  projectTypes: [],
  year: null,
  text: "",
  sort: null,
  view: "list",
  from: 0,
};

/** The filters with their values, and what visitors call them. */
export const FILTERS = [
  {
    name: "statuses",
    label: "When",
    values: [["ongoing", "On now"], ["upcoming", "Coming up"], ["ended", "Past"]],
  },
  { name: "formats", label: "Format", values: [["in-person", "In person"], ["online", "Online"]] },
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

/** What visitors call a kind of project. */
export function typeInWords(type: ProjectType): string {
  return type === "Gamedev" ? "Games" : type;
}

/** The title of the page's document. */
export function pageTitle(title: string): string {
  return `Foyer · ${title}`;
}

/** Reads a query string, with or without its `?`. */
export function parseSelection(search: string): Selection {
  if (search === "" || search.length > MAX_QUERY_LENGTH) return EVERYTHING;
  const query = new URLSearchParams(search);
  const [from = "", year = ""] = [PARAMETERS.from, PARAMETERS.year].map((name) =>
    query.get(name) ?? ""
  );
  return {
    statuses: valuesOf(query, PARAMETERS.statuses, EVENT_STATUSES),
    formats: valuesOf(query, PARAMETERS.formats, EVENT_FORMATS),
    projectTypes: valuesOf(query, PARAMETERS.projectTypes, PROJECT_TYPES),
    year: /^\d{4}$/.test(year) ? year : null,
    text: searchText(query.get(PARAMETERS.text), MAX_TEXT_LENGTH),
    sort: valuesOf(query, PARAMETERS.sort, PAGE_SORTS)[0] ?? null,
    view: valuesOf(query, PARAMETERS.view, VIEWS)[0] ?? "list",
    from: /^\d{1,6}$/.test(from) ? Number(from) : 0,
  };
}

/** The known values in the order of `allowed`; none if all are given. */
function valuesOf<const T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
): readonly T[] {
  const given = new Set(query.getAll(name).flatMap((value) => value.split(",")));
  const known = allowed.filter((value) => given.has(value));
  return known.length === allowed.length ? [] : known;
}

/** The address of a selection, the same for all query strings that mean it. */
export function selectionHref(selection: Selection): string {
  const query = new URLSearchParams(selectionPairs(selection)).toString().replaceAll("%2C", ",");
  return query === "" ? "/" : `/?${query}`;
}

/** The address of the page that says how to follow the events of a selection, in whichever view. */
export function followHref(selection: Selection): string {
  const { sort, view, from } = EVERYTHING;
  return `/follow${selectionHref({ ...selection, sort, view, from }).slice(1)}`;
}

/** Where calendar programs subscribe to the events with some statuses. */
export function subscribeHref(baseUrl: string, statuses: readonly EventStatus[] = []): string {
  const search = statuses.length === 0 ? "" : `?status=${statuses.join(",")}`;
  return `${baseUrl.replace(/^https?:/, "webcal:")}/calendar.ics${search}`;
}

/** The parameters of a selection that differ from the default, in a fixed order. */
export function selectionPairs(
  { statuses, formats, projectTypes, year, text, sort, view, from }: Selection,
): [name: string, value: string][] {
  const pairs: [string, string][] = [
    [PARAMETERS.text, text],
    [PARAMETERS.statuses, statuses.join(",")],
    [PARAMETERS.formats, formats.join(",")],
    [PARAMETERS.projectTypes, projectTypes.join(",")],
    [PARAMETERS.year, year ?? ""],
    [PARAMETERS.sort, sort ?? ""],
    [PARAMETERS.view, view === "list" ? "" : view],
    [PARAMETERS.from, from > 0 ? String(from) : ""],
  ];
  return pairs.filter(([, value]) => value !== "");
}

/** A filter that is chosen, and the selection without it. */
export interface Chosen {
  readonly label: string;
  readonly without: Selection;
}

/** Every value that narrows a selection, in the order of the filters. */
export function chosenFilters(selection: Selection): readonly Chosen[] {
  const { text, year } = selection;
  const first = { ...selection, from: 0 };
  return [
    ...(text === "" ? [] : [{ label: `“${text}”`, without: { ...first, text: "" } }]),
    ...FILTERS.flatMap(({ name, values }) => {
      const chosen: readonly string[] = selection[name];
      return chosen.map((value) => ({
        label: values.find(([known]) => known === value)?.[1] ?? value,
        without: { ...first, [name]: chosen.filter((each) => each !== value) },
      }));
    }),
    ...(year === null ? [] : [{ label: year, without: { ...first, year: null } }]),
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

/** The selection of the past events of a year, whose page is in the sitemap. */
export function pastYear(year: string, selection = EVERYTHING): Selection {
  return { ...selection, statuses: ["ended"], year, sort: null, view: "list", from: 0 };
}
