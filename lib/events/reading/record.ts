/**
 * Turns a row of the record store into an event. People type rows, so every cell is checked: one that is not understood
 * costs the cell and is reported. Only without a name, a first day or an id that can stand in an address is there no
 * event.
 */

import {
  type Columns,
  EVENT_CELLS,
  EVENT_FIELDS,
  type EventField,
} from "../../platform/event_columns.ts";
import { CellError, isEmptyCell, unwrapCell } from "./internal/cell.ts";
import type { EventImage, StoredEvent } from "../model.ts";
import { createReaders } from "./internal/readers.ts";
import { MAX_SHOWN_CHARACTERS } from "../shown_texts.ts";

/** A row of a record store, in Airtable's layout; `createdTime` is an ISO instant. */
export interface StoreRecord {
  readonly id: string;
  readonly createdTime?: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An event read from a row; its slug depends on the others and is given later. */
export interface ParsedRecord {
  readonly event: Omit<StoredEvent, "slug">;
  readonly logo: EventImage | null;
  readonly backgroundImage: EventImage | null;
}

/** A problem of a row. Its event is shown without the cell, unless it is `leftOut`. */
export interface RecordProblem {
  readonly recordId: string;
  /** The column. */
  readonly field: string;
  /** The cell's value, and a right one. */
  readonly reason: string;
  readonly leftOut: boolean;
}

/** Equal problems of some records: the ids of these in place of one's. */
interface ProblemGroup extends Omit<RecordProblem, "recordId"> {
  readonly recordIds: readonly string[];
}

/** The problems, the same one of many records once: those that hide events first, then the most frequent. */
export function groupProblems(problems: readonly RecordProblem[]): ProblemGroup[] {
  const groups = Map.groupBy(
    problems,
    ({ field, reason, leftOut }) => JSON.stringify([field, reason, leftOut]),
  );
  return [...groups.values()].map((group) => {
    const [{ recordId: _id, ...problem }] = group as [RecordProblem];
    return { ...problem, recordIds: group.map(({ recordId }) => recordId) };
  }).toSorted((a, b) =>
    Number(b.leftOut) - Number(a.leftOut) || b.recordIds.length - a.recordIds.length
  );
}

/** The event of one row (null if it has none) and the row's problems. */
export interface RecordOutcome {
  readonly parsed: ParsedRecord | null;
  readonly problems: readonly RecordProblem[];
  /** The fields that have a value. */
  readonly fields: readonly EventField[];
}

/** Neither ids nor slugs: below `/api/v1/events/` they are addresses of their own, such as the feed's. */
export const RESERVED_NAMES: readonly string[] = ["rss"];
/** Addresses contain an id unchanged. */
const RECORD_ID = /^[\w-]{1,64}$/;

const LONG =
  `longer than ${MAX_SHOWN_CHARACTERS} characters: feeds and calendars have its beginning`;

type Readers = ReturnType<typeof createReaders>;
/** The value of each field; absent for an empty cell. */
type Cells = {
  readonly [F in EventField]?: NonNullable<ReturnType<Readers[typeof EVENT_CELLS[F]]>>;
};

/**
 * A parser of rows whose columns are named by `columns`.
 *
 * @param timeZone IANA zone in which an instant in a day's column becomes a day.
 */
export function createRecordParser(
  columns: Columns,
  timeZone: string,
): (record: StoreRecord) => RecordOutcome {
  const readers = createReaders(timeZone);
  const kinds = EVENT_FIELDS.map((field) => ({
    field,
    column: columns[field],
    read: readers[EVENT_CELLS[field]],
  }));
  return function parseRecord(record) {
    const { id } = record;
    const problems: RecordProblem[] = [];
    const report = (field: string, reason: string, leftOut = false) =>
      void problems.push({ recordId: id.slice(0, 64), field, reason, leftOut });

    if (!RECORD_ID.test(id) || RESERVED_NAMES.includes(id)) {
      const reserved = RESERVED_NAMES.join(", ");
      report(
        "id",
        `expected 1 to 64 letters, digits, - or _, and none of the reserved words ${reserved}`,
        true,
      );
    } else if (Object.values(record.fields).every((cell) => isEmptyCell(cell))) {
      // A row in which nobody has typed anything yet.
      return { parsed: null, problems, fields: [] };
    }
    const values: { [field: string]: unknown } = {};
    const unreadable = new Set<EventField>();
    for (const { field, column, read } of kinds) {
      try {
        const cell = unwrapCell(record.fields[column], (reason) => report(column, reason));
        if (cell.length === 0) continue;
        const value = read(cell, (reason) => report(column, reason));
        if (value !== undefined) values[field] = value;
        if (typeof value === "string" && value.length > MAX_SHOWN_CHARACTERS) report(column, LONG);
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        unreadable.add(field);
        // Without these there is no event.
        report(column, error.message, field === "name" || field === "startDate");
      }
    }
    // Each field was read by the reader of its kind, which the loop cannot express.
    const parsed = buildEvent(record, values as Cells, {
      has: (field) => unreadable.has(field),
      report: (field, reason, leftOut) => report(columns[field], reason, leftOut),
      readInstant: (text) => readers.instant([text], () => {}),
    });
    const isLeftOut = problems.some(({ leftOut }) => leftOut);
    return {
      parsed: isLeftOut ? null : parsed,
      problems,
      fields: EVENT_FIELDS.filter((field) => values[field] !== undefined),
    };
  };
}

/** The facts of a row beside the values of its cells. */
interface Row {
  /** Whether the cell of a field was not understood, and is reported. */
  has(field: EventField): boolean;
  report(field: EventField, reason: string, leftOut?: boolean): void;
  /** @throws {CellError} */
  readInstant(text: string): string | undefined;
}

function buildEvent(record: StoreRecord, cells: Cells, row: Row): ParsedRecord | null {
  const { name, startDate } = cells;
  if (name === undefined && !row.has("name")) {
    row.report("name", "missing: every event has a name", true);
  }
  if (startDate === undefined && !row.has("startDate")) {
    row.report("startDate", "missing: every event has a first day", true);
  }
  if (name === undefined || startDate === undefined) return null;

  const background = readBackground(cells, row);
  const logo = cells.logoUrl ?? null;
  return {
    // In this order, by which versions of an event are told apart.
    event: {
      id: record.id,
      name,
      description: cells.description ?? null,
      url: cells.url ?? null,
      startDate,
      endDate: lastDay(startDate, cells, row),
      announcedAt: cells.announcedAt ?? instantOf(record.createdTime, row) ??
        `${startDate}T00:00:00.000Z`,
      format: cells.format ?? null,
      inPerson: readInPerson(cells, row),
      projectTypes: cells.projectTypes ?? [],
      slackChannel: cells.slackChannel?.replace(/^[#\s]+/, "") || null,
      slackUrl: cells.slackUrl ?? null,
      requirements: cells.requirements ?? null,
      pinned: cells.pinned ?? false,
      logoUrl: logo?.url ?? null,
      background,
      theme: readTheme(cells, row),
    },
    logo,
    backgroundImage: background === null ? null : cells["background.imageUrl"] ?? null,
  };
}

/** The last day; null for ever, which an unreadable cell does not mean. */
function lastDay(startDate: string, { endDate }: Cells, row: Row): string | null {
  if (row.has("endDate")) return startDate;
  if (endDate === undefined || endDate >= startDate) return endDate ?? null;
  row.report(
    "endDate",
    `the event ends on ${endDate}, before it starts on ${startDate}: it is shown as one day`,
  );
  return startDate;
}

/** When and where people meet; null if they do not. */
function readInPerson(cells: Cells, row: Row): StoredEvent["inPerson"] {
  const { format, "inPerson.start": start = null, "inPerson.end": end = null } = cells;
  const inPerson = { start, end, location: cells["inPerson.location"] ?? null };
  const meets = format === "in-person" || format === "both" ||
    (format === undefined && Object.values(inPerson).some((value) => value !== null));
  if (!meets) return null;
  if (start === null || end === null || end >= start) return inPerson;
  row.report(
    "inPerson.end",
    `people leave on ${end}, before they meet on ${start}: it is left out`,
  );
  return { ...inPerson, end: null };
}

/** A background needs its type and the value that the type uses; an incomplete one is left out. */
function readBackground(cells: Cells, row: Row): StoredEvent["background"] {
  const type = cells["background.type"];
  const color = cells["background.color"];
  const imageUrl = cells["background.imageUrl"]?.url ?? null;
  if (type === undefined && color === undefined && imageUrl === null) return null;
  const isWhole = type === "color" ? color !== undefined : imageUrl !== null;
  if (type !== undefined && isWhole) return { type, color: color ?? "transparent", imageUrl };
  const missing = { none: "type", color: "color", image: "imageUrl" } as const;
  const field = `background.${missing[type ?? "none"]}` as const;
  if (!row.has(field)) row.report(field, "missing: the event is shown without its background");
  return null;
}

const THEME_FIELDS = EVENT_FIELDS.filter((field) => field.startsWith("theme."));

/** A theme is whole or absent: clients may rely on every field. */
function readTheme(cells: Cells, row: Row): StoredEvent["theme"] {
  const missing = THEME_FIELDS.filter((field) => cells[field] === undefined);
  const [first] = missing;
  if (first !== undefined) {
    if (missing.length < THEME_FIELDS.length && !missing.some((field) => row.has(field))) {
      row.report(first, "missing: the event is shown without its theme");
    }
    return null;
  }
  // No cell is missing.
  return {
    text: cells["theme.text"],
    accent: cells["theme.accent"],
    logoSize: cells["theme.logoSize"],
    button: {
      color: cells["theme.button.color"],
      textColor: cells["theme.button.textColor"],
      borderRadius: cells["theme.button.borderRadius"],
      borderWidth: cells["theme.button.borderWidth"],
      borderColor: cells["theme.button.borderColor"],
    },
  } as NonNullable<StoredEvent["theme"]>;
}

function instantOf(createdTime: string | undefined, row: Row): string | undefined {
  try {
    return createdTime === undefined ? undefined : row.readInstant(createdTime);
  } catch {
    // A file may have anything there, which nobody can mend in a table.
    return undefined;
  }
}
