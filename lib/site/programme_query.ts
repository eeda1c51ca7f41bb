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
  SORT_FIELDS,
  type SortField,
} from "../events/browser.ts";

/** What a visitor selects. An empty list means all, and `sort` null the order of the groups. */
export interface Selection {
  readonly statuses: readonly EventStatus[];
  readonly formats: readonly EventFormat[];
  readonly projectTypes: readonly ProjectType[];
  /** Words in the name or description; "" for any. */
  readonly text: string;
  readonly sort: SortField | null;
  readonly order: "asc" | "desc";
  /** How many events are on the pages before this one. */
  readonly from: number;
}

/** The parameters of the page's address. */
export const PARAMETERS = {
  statuses: "status",
  formats: "format",
  projectTypes: "projectType",
  text: "q",
  sort: "sort",
  order: "order",
  from: "from",
  /** Requests the part of the page that a script replaces. */
  part: "part",
} as const;

/** A longer query string counts as empty. */
const MAX_QUERY_LENGTH = 2_000;
/** A longer search is cut. */
export const MAX_TEXT_LENGTH = 100;

/** The selection that asks for everything. */
export const EVERYTHING: Selection = {
  statuses: [],
  formats: [],
  projectTypes: [],
  text: "",
  sort: null,
  order: "desc",
  from: 0,
};

/** Reads a query string, with or without its `?`. */
export function parseSelection(search: string): Selection {
  if (search === "" || search.length > MAX_QUERY_LENGTH) return EVERYTHING;
  const query = new URLSearchParams(search);
  const from = query.get(PARAMETERS.from) ?? "";
  return {
    statuses: valuesOf(query, PARAMETERS.statuses, EVENT_STATUSES),
    formats: valuesOf(query, PARAMETERS.formats, EVENT_FORMATS),
    projectTypes: valuesOf(query, PARAMETERS.projectTypes, PROJECT_TYPES),
    text: searchText(query.get(PARAMETERS.text), MAX_TEXT_LENGTH),
    sort: valuesOf(query, PARAMETERS.sort, SORT_FIELDS)[0] ?? null,
    order: query.get(PARAMETERS.order) === "asc" ? "asc" : "desc",
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

/** Where calendar programs subscribe to the events with some statuses. */
export function subscribeHref(baseUrl: string, statuses: readonly EventStatus[] = []): string {
  const search = statuses.length === 0 ? "" : `?status=${statuses.join(",")}`;
  return `${baseUrl.replace(/^https?:/, "webcal:")}/calendar.ics${search}`;
}

/** The parameters of a selection that differ from the default, in a fixed order. */
export function selectionPairs(
  { statuses, formats, projectTypes, text, sort, order, from }: Selection,
): [name: string, value: string][] {
  const pairs: [string, string][] = [
    [PARAMETERS.text, text],
    [PARAMETERS.statuses, statuses.join(",")],
    [PARAMETERS.formats, formats.join(",")],
    [PARAMETERS.projectTypes, projectTypes.join(",")],
    [PARAMETERS.sort, sort ?? ""],
    [PARAMETERS.order, sort !== null && order === "asc" ? "asc" : ""],
    [PARAMETERS.from, from > 0 ? String(from) : ""],
  ];
  return pairs.filter(([, value]) => value !== "");
}

/** Whether a selection has a filter. */
export function isNarrow({ statuses, formats, projectTypes, text }: Selection): boolean {
  return statuses.length + formats.length + projectTypes.length > 0 || text !== "";
}
