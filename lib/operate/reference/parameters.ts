/** The descriptions of the parameters that several operations share. */

import { EXAMPLE_EVENT } from "../documents/library.ts";
import { pathParameter } from "./operation.ts";

/** The path parameter of every address that belongs to one event. */
export const EVENT_PARAMETER = pathParameter("idOrSlug", {
  description: "The event's id or its slug. Prefer the id: a slug changes with the name.",
  example: EXAMPLE_EVENT,
});

/** The parameter `status`. */
export const STATUS = {
  description: "Only events in these states. Repeat the parameter or pass a comma-separated list.",
};

/** The parameters `sort` and `order`. */
export function orderBy(defaults: { readonly sort: string; readonly order: string }) {
  return {
    sort: { description: "Field to sort by.", default: defaults.sort },
    order: { description: "Sort direction.", default: defaults.order },
  };
}

/** The filters besides `status`. Each that is given narrows the choice. */
export const FILTERS = {
  format: {
    description: "Only events of these formats. An event that is both also counts as in-person " +
      "and as online, which means that it can be followed online; online-only leaves it out. A " +
      "list, as for status.",
  },
  projectType: {
    description: "Only events with any of these project types. A list, as for status.",
  },
  place: {
    description:
      "Only events at this place: a town, a country, or the text of a place, whatever its " +
      "case, accents and the language of the country. Repeat the parameter for several places; " +
      "a comma belongs to the text.",
  },
  q: {
    description:
      "Only events with all of these words, or parts of words, in their name, place, topics, " +
      "channel, requirements or description, whatever their case, accents and typography.",
  },
  when: {
    description:
      "Only events that are on at a day of one of these periods, in the organisation's " +
      "time zone. Days before today do not count, and a week ends on its Sunday. A list, as for " +
      "status.",
  },
  from: { description: "Only events that are not over before this day." },
  to: { description: "Only events that begin on this day or before it." },
  year: {
    description:
      "Only events whose last day is in this year or month, or whose first day is if they have no end.",
  },
  pinned: { description: "Only events that the organisation features, or only the others." },
};
