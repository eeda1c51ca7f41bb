/**
 * Where each field of an event stands in the record store: by default in a column named after the
 * field's path in title case (`inPerson.start` in "In Person Start"); AIRTABLE_FIELDS renames.
 */

import { EVENT_FIELDS, type EventField } from "../config.ts";

/** The column of each field. */
export type Columns = Readonly<Record<EventField, string>>;

/** The default columns: each field's path in title case. */
export const COLUMN_NAMES: Columns = columnsFrom((path) => titleCase(path));

/** The default columns with some renamed, as the configuration says. */
export function renameColumns(renamed: Readonly<Partial<Record<EventField, string>>>): Columns {
  return columnsFrom((path) => renamed[path] ?? COLUMN_NAMES[path]);
}

function columnsFrom(name: (path: EventField) => string): Columns {
  // Every path is a key by construction, which fromEntries cannot express.
  return Object.fromEntries(EVENT_FIELDS.map((path) => [path, name(path)])) as Columns;
}

function titleCase(path: string): string {
  return path.replaceAll(".", " ").replace(/([A-Z])/g, " $1")
    .replace(/ +/g, " ").replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
