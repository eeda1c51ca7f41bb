/**
 * The fields of an event that a record of the store fills in. The configuration renames their columns, and
 * `lib/events/reading/record.ts` reads their cells.
 */

import { isObject, memberAt } from "./json.ts";

/**
 * Each field, by its path in the JSON of an event (`static/docs/events.md`), with the kind of its cell. Their order is that
 * of the JSON of an event.
 */
export const EVENT_CELLS = {
  "name": "name",
  "description": "prose",
  "url": "address",
  "startDate": "day",
  "endDate": "day",
  "announcedAt": "instant",
  "format": "format",
  "inPerson.start": "day",
  "inPerson.end": "day",
  "inPerson.location": "text",
  "projectTypes": "projectTypes",
  "slackChannel": "text",
  "slackUrl": "address",
  "requirements": "prose",
  "pinned": "boolean",
  "logoUrl": "image",
  "background.type": "backgroundType",
  "background.color": "text",
  "background.imageUrl": "image",
  "theme.text": "text",
  "theme.accent": "text",
  "theme.logoSize": "number",
  "theme.button.color": "text",
  "theme.button.textColor": "text",
  "theme.button.borderRadius": "number",
  "theme.button.borderWidth": "number",
  "theme.button.borderColor": "text",
} as const;

/** A field of an event. */
export type EventField = keyof typeof EVENT_CELLS;
/** The column of each field. */
export type Columns = Readonly<Record<EventField, string>>;

/** All fields. */
export const EVENT_FIELDS = Object.keys(EVENT_CELLS) as EventField[];

/** The value that the JSON of an event has for a field; undefined if it lacks it. */
export function fieldAt(event: unknown, field: EventField): unknown {
  return isObject(event) ? memberAt(event, ...field.split(".")) : undefined;
}

/** The default columns: each field's path in title case (`inPerson.start` is in "In Person Start"). */
export const COLUMN_NAMES = Object.fromEntries(
  EVENT_FIELDS.map((field) => [field, titleCase(field)]),
  // Each field is a key by construction, which fromEntries cannot express.
) as Columns;

function titleCase(path: string): string {
  return path.replaceAll(".", " ").replace(/([A-Z])/g, " $1")
    .replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
