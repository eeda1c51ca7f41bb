/** Whether a filter chooses an event. */

import { fold, searchable, spellings } from "../platform/fold.ts";
import { memoize } from "../platform/memoize.ts";
import { type Dated, daysOf, isOn, lastDay } from "./days.ts";
import { descriptionWords } from "./description.ts";
import { type Filter, type FormatChoice, isReversed } from "./filter.ts";
import type { Facets } from "./keeping/history.ts";
import type { Event } from "./model.ts";
import { type Placed, placeMatcherOf } from "./places.ts";
import { typeInWords } from "./site/filter_words.ts";
import type { EventFormat, EventStatus } from "./values.ts";

/** The facts that a search looks at. Of an event that is gone, only the name and the topics are known. */
type Searched =
  & Pick<Event, "name">
  & Pick<Facets, "projectTypes">
  & Partial<Pick<Event, "description" | "requirements" | "inPerson" | "slackChannel">>;

/** The facts of an event that a filter examines. */
interface Filterable extends Dated, Facets, Searched, Placed {}

/** Makes the function that says whether a filter chooses an event with its status, both on a day (`YYYY-MM-DD`). */
export function matcherOf(
  filter: Filter,
  today: string,
): (event: Filterable, status: EventStatus) => boolean {
  const { statuses, formats, projectTypes, text, from, to, year, pinned } = filter;
  const periods = filter.periods.map((period) => daysOf(period, today));
  const isAt = placeMatcherOf(filter.places);
  if (isReversed(filter)) return () => false;
  const words = text.split(" ").filter((word) => fold(word) !== "").map(spellings);
  return (event, status) =>
    (statuses.length === 0 || statuses.includes(status)) &&
    (formats.length === 0 || formats.some((choice) => isOfFormat(event.format, choice))) &&
    (projectTypes.length === 0 || event.projectTypes.some((type) => projectTypes.includes(type))) &&
    (filter.places.length === 0 || isAt(event)) &&
    (periods.length === 0 || periods.some((days) => isOn(event, days))) &&
    (from === null || event.endDate === null || event.endDate >= from) &&
    (to === null || event.startDate <= to) &&
    (year === null || lastDay(event).startsWith(year)) &&
    (pinned === null || event.pinned === pinned) &&
    words.every((word) => word.some((spelling) => searchedText(event).includes(spelling)));
}

function isOfFormat(format: EventFormat | null, choice: FormatChoice): boolean {
  if (choice === "online-only") return format === "online";
  return format === choice || format === "both";
}

/** The searchable text of each event. */
export const searchedText = memoize(
  ({ name, description, requirements, inPerson, slackChannel, projectTypes }: Searched) =>
    searchable(
      [
        name,
        inPerson?.location,
        ...projectTypes.flatMap((type) => [type, typeInWords(type)]),
        slackChannel && `#${slackChannel}`,
        ...[description, requirements].map((text) => text && descriptionWords(text)),
      ].filter(Boolean).join("\n"),
    ),
);
