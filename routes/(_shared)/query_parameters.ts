/** The descriptions of the parameters that the list, the feeds and the calendar share. */

import { LIST_PARAMETERS } from "../../lib/events/mod.ts";
import { type ParameterObject, queryParameter } from "../../lib/reference/mod.ts";

/** The parameter `limit`. */
export function limitParameter(
  about: { readonly description: string; readonly default?: number; readonly example?: number },
): ParameterObject {
  return queryParameter("limit", LIST_PARAMETERS.limit, about);
}

/** The parameter `status`; `example` is part of the operation's sample request. */
export function statusParameter(example?: readonly string[]): ParameterObject {
  return queryParameter("status", LIST_PARAMETERS.status, {
    description:
      "Only events in these states. Repeat the parameter or pass a comma-separated list.",
    ...example !== undefined && { example },
  });
}

/** The parameters `sort` and `order`. */
export function orderParameters(
  defaults: { readonly sort: string; readonly order: string },
): readonly ParameterObject[] {
  return [
    queryParameter("sort", LIST_PARAMETERS.sort, {
      description: "Field to sort by.",
      default: defaults.sort,
    }),
    queryParameter("order", LIST_PARAMETERS.order, {
      description: "Sort direction.",
      default: defaults.order,
    }),
  ];
}

/** The filters besides `status`. Each that is given narrows the choice. */
export const FILTERS: readonly ParameterObject[] = [
  queryParameter("format", LIST_PARAMETERS.format, {
    description: "Only events of these formats. An event that is both also counts as in-person " +
      "and as online. A list, as for status.",
  }),
  queryParameter("projectType", LIST_PARAMETERS.projectType, {
    description: "Only events with any of these project types. A list, as for status.",
  }),
  queryParameter("q", LIST_PARAMETERS.q, {
    description: "Only events with all of these words, or parts of words, in their name or " +
      "description, whatever their case and accents.",
  }),
  queryParameter("from", LIST_PARAMETERS.from, {
    description: "Only events that are not over before this day.",
  }),
  queryParameter("to", LIST_PARAMETERS.to, {
    description: "Only events that begin on this day or before it.",
  }),
  queryParameter("year", LIST_PARAMETERS.year, {
    description:
      "Only events whose last day is in this year, or whose first day is if they have no end.",
  }),
  queryParameter("pinned", LIST_PARAMETERS.pinned, {
    description: "Only events that the organisation features, or only the others.",
  }),
];
