/**
 * Turns a row of the record store into an event, or reports why it cannot be one. People type rows, so every
 * cell is checked, and a bad row never hides a good one.
 */

import { type Columns, EVENT_CELLS, EVENT_FIELDS, type EventField } from "../platform/columns.ts";
import { isObject } from "../platform/json.ts";
import { withoutForbidden } from "../platform/text.ts";
import type { StoredEvent } from "./model.ts";
import { MAX_SHOWN_CHARACTERS } from "./shown_texts.ts";
import { EVENT_FORMATS, PROJECT_TYPES, type ProjectType } from "./values.ts";

/** A row of a record store, in Airtable's layout; `createdTime` is an ISO instant. */
export interface StoreRecord {
  readonly id: string;
  readonly createdTime?: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An image of an event: the store's id of the attachment (null for a plain address) and its URL. */
export interface EventImage {
  readonly attachmentId: string | null;
  readonly url: string;
}

/** An event read from a row; its slug depends on the others and is given later. */
export interface ParsedRecord {
  readonly event: Omit<StoredEvent, "slug">;
  readonly logo: EventImage | null;
  readonly backgroundImage: EventImage | null;
}

/** A problem of a row; `leftOut` if its event is not shown because of it. */
export interface RecordProblem {
  readonly recordId: string;
  readonly field: string;
  readonly reason: string;
  readonly leftOut: boolean;
}

/** The event of one row (null if it has none) and the row's problems. */
export interface RecordOutcome {
  readonly parsed: ParsedRecord | null;
  readonly problems: readonly RecordProblem[];
}

/** Airtable's own limit of a long text cell is 100,000 characters; a file could hold anything. */
const MAX_PROSE_LENGTH = 131_072;
/** A name, a place or a colour: a longer one is a mistake, and none is ever cut. */
const MAX_TEXT_LENGTH = 2_000;
const MAX_URL_LENGTH = 8_192;
const MAX_MOMENT_LENGTH = 40;
/** Neither ids nor slugs: below `/api/v1/events/` they are addresses of their own, such as the feed's. */
export const RESERVED_NAMES: readonly string[] = ["rss"];
/** Addresses contain an id unchanged. */
const RECORD_ID = /^[\w-]{1,64}$/;

const LONG =
  `longer than ${MAX_SHOWN_CHARACTERS} characters: feeds and calendars have its beginning`;

/** A cell whose value is not of its column's kind. The message is for a report. */
class CellError extends Error {}

function expected(what: string, cell: unknown): CellError {
  return new CellError(`expected ${what}, got ${kind(cell)}`);
}

function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === "string" && cell.trim() === "");
}

const textUpTo = (length: number) => (cell: unknown): string | undefined => {
  if (typeof cell !== "string") throw expected("text", cell);
  const text = withoutForbidden(cell.toWellFormed().replaceAll("\r\n", "\n")).trim();
  if (text.length > length) {
    throw new CellError(`longer than ${length} characters`);
  }
  return text === "" ? undefined : text;
};

function readNumber(cell: unknown): number {
  if (typeof cell === "number" && cell >= 0 && cell <= 10_000) return cell;
  throw expected("a number from 0 to 10000", cell);
}

function readBoolean(cell: unknown): boolean {
  if (typeof cell === "boolean") return cell;
  throw new CellError("expected true or false");
}

const oneOf = <const T extends string>(allowed: readonly T[]) => (cell: unknown): T => {
  const value = allowed.find((one) => one === cell);
  if (value !== undefined) return value;
  throw expected(`${allowed.join(", ")} or nothing`, cell);
};

function readProjectTypes(cell: unknown): ProjectType[] {
  if (!Array.isArray(cell)) throw expected("a list", cell);
  if (cell.length > 100) throw new CellError("more than 100 of them");
  const unknown = cell.find((type) => !PROJECT_TYPES.includes(type));
  if (unknown === undefined && !cell.includes(undefined)) return [...new Set(cell)];
  throw expected(PROJECT_TYPES.join(", "), unknown);
}

/** An attachment column gives its first file. */
function readImage(cell: unknown): EventImage | undefined {
  const isUrl = (url: unknown): url is string =>
    typeof url === "string" && url.length <= MAX_URL_LENGTH;
  if (isUrl(cell)) return { attachmentId: null, url: cell };
  const isFile = (file: unknown): file is { readonly id: string; readonly url: string } =>
    isObject(file) && typeof file["id"] === "string" && isUrl(file["url"]);
  if (!Array.isArray(cell) || !cell.every(isFile)) {
    throw new CellError("expected an attachment with id and url, or an address");
  }
  const [first] = cell;
  return first && { attachmentId: first.id, url: first.url };
}

/** Reads a cell with a time or a day in it; `read` throws if the text is neither. */
const moment = (example: string, read: (text: string) => string) => (cell: unknown): string => {
  if (typeof cell !== "string" || cell.length > MAX_MOMENT_LENGTH) throw expected(example, cell);
  let value: string;
  try {
    value = read(cell);
  } catch {
    throw expected(example, cell);
  }
  // Outside these years a date has not the four digits of the API, and does not sort as text.
  if (value >= "1900" && value < "3000") return value;
  throw new CellError("expected a year from 1900 to 2999");
};

/** A day; an instant (a column with a time) counts as its day in the organisation's time zone. */
const dayReader = (timeZone: string) =>
  moment("a day that exists, such as 2026-03-12", (text) => {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text).toString();
    return Temporal.Instant.from(text).toZonedDateTimeISO(timeZone).toPlainDate().toString();
  });

const readInstant = moment(
  "an instant such as 2026-03-12T09:00:00Z",
  (text) => new Date(Temporal.Instant.from(text).epochMilliseconds).toISOString(),
);

/** The readers of cells that are not empty, by kind. They throw a {@linkcode CellError}. */
const createReaders = (timeZone: string) => ({
  text: textUpTo(MAX_TEXT_LENGTH),
  prose: textUpTo(MAX_PROSE_LENGTH),
  address: textUpTo(MAX_URL_LENGTH),
  number: readNumber,
  image: readImage,
  instant: readInstant,
  day: dayReader(timeZone),
  boolean: readBoolean,
  format: oneOf(EVENT_FORMATS),
  backgroundType: oneOf(["color", "image"]),
  projectTypes: readProjectTypes,
});

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
    const report = (field: string, reason: string, leftOut = true) =>
      problems.push({ recordId: id.slice(0, 64), field, reason, leftOut });

    if (!RECORD_ID.test(id) || RESERVED_NAMES.includes(id)) {
      const reserved = RESERVED_NAMES.join(", ");
      report(
        "id",
        `expected 1 to 64 letters, digits, - or _, and none of the reserved words ${reserved}`,
      );
    }
    const values: { [field: string]: unknown } = {};
    let isReadable = true;
    for (const { field, column, read } of kinds) {
      const cell = record.fields[column];
      if (isEmpty(cell)) continue;
      try {
        const value = read(cell);
        if (value !== undefined) values[field] = value;
        if (typeof value === "string" && value.length > MAX_SHOWN_CHARACTERS) {
          report(column, LONG, false);
        }
      } catch (error) {
        if (!(error instanceof CellError)) throw error;
        report(column, error.message);
        isReadable = false;
      }
    }
    if (!isReadable) return { parsed: null, problems };

    // Each field was read by the reader of its kind, which the loop cannot express.
    const parsed = toEvent(record, values as Cells, (field, reason, leftOut) => {
      report(columns[field], reason, leftOut);
    });
    const isLeftOut = problems.some((problem) => problem.leftOut);
    return { parsed: isLeftOut ? null : parsed, problems };
  };
}

type Report = (field: EventField, reason: string, leftOut?: boolean) => void;

function toEvent(record: StoreRecord, cells: Cells, report: Report): ParsedRecord | null {
  const { name, startDate, endDate = null } = cells;
  const announcedAt = cells.announcedAt ?? instantOf(record.createdTime);
  if (name === undefined) report("name", "missing: every event has a name");
  if (startDate === undefined) report("startDate", "missing: every event has a first day");
  if (announcedAt === undefined) {
    report("announcedAt", "missing, and the record has no createdTime to take its place");
  }
  if (startDate !== undefined && endDate !== null && endDate < startDate) {
    report("endDate", `the event ends on ${endDate}, before it starts on ${startDate}`);
  }
  const fields = nest(cells);
  const { inPerson } = fields;
  if (inPerson.start !== null && inPerson.end !== null && inPerson.end < inPerson.start) {
    report("inPerson.end", `people leave on ${inPerson.end}, before they meet`);
  }
  if (name === undefined || startDate === undefined || announcedAt === undefined) return null;

  const meets = cells.format === "in-person" || cells.format === "both" ||
    (cells.format === undefined && Object.values(inPerson).some((value) => value !== null));
  const background = readBackground(cells, report);
  const backgroundImage = background === null ? null : cells["background.imageUrl"] ?? null;
  const logo = cells.logoUrl ?? null;
  return {
    event: {
      id: record.id,
      ...fields,
      name,
      startDate,
      announcedAt,
      inPerson: meets ? inPerson : null,
      projectTypes: cells.projectTypes ?? [],
      slackChannel: cells.slackChannel?.replace(/^[#\s]+/, "") || null,
      pinned: cells.pinned ?? false,
      logoUrl: logo?.url ?? null,
      background,
      theme: readTheme(fields.theme, cells, report),
    },
    logo,
    backgroundImage,
  };
}

/** The cells, nested as in the event's JSON; null for an empty one. */
type Nested<Prefix extends string = ""> = {
  [
    F in EventField as F extends `${Prefix}${infer Path}`
      ? Path extends `${infer Group}.${string}` ? Group : Path
      : never
  ]: F extends `${Prefix}${infer Group}.${string}` ? Nested<`${Prefix}${Group}.`>
    : NonNullable<Cells[F]> | null;
};

interface Tree {
  [name: string]: unknown;
}

/** Where the JSON of an event has each field. */
const PATHS = EVENT_FIELDS.map((field) => {
  const path = field.split(".");
  return { field, groups: path.slice(0, -1), name: path.at(-1) ?? "" };
});

function nest(cells: Cells): Nested {
  const root: Tree = {};
  for (const { field, groups, name } of PATHS) {
    let group = root;
    for (const part of groups) group = (group[part] ??= {}) as Tree;
    group[name] = cells[field] ?? null;
  }
  // The loop builds the object that the type describes.
  return root as Nested;
}

/** A background needs its type and the value that the type uses; an incomplete one is left out. */
function readBackground(cells: Cells, report: Report): StoredEvent["background"] {
  const type = cells["background.type"];
  const color = cells["background.color"];
  const imageUrl = cells["background.imageUrl"]?.url ?? null;
  if (type === undefined && color === undefined && imageUrl === null) return null;
  const isWhole = type === "color" ? color !== undefined : imageUrl !== null;
  if (type !== undefined && isWhole) return { type, color: color ?? "transparent", imageUrl };
  const missing = { none: "type", color: "color", image: "imageUrl" } as const;
  const field = `background.${missing[type ?? "none"]}` as const;
  report(field, "missing: the event is shown without its background", false);
  return null;
}

const THEME_FIELDS = EVENT_FIELDS.filter((field) => field.startsWith("theme."));

/** A theme is whole or absent: clients may rely on every field. */
function readTheme(theme: Nested["theme"], cells: Cells, report: Report): StoredEvent["theme"] {
  const missing = THEME_FIELDS.filter((field) => cells[field] === undefined);
  const [first] = missing;
  // If no cell is missing, no field is null.
  if (first === undefined) return theme as StoredEvent["theme"];
  if (missing.length < THEME_FIELDS.length) {
    report(first, "missing: the event is shown without its theme", false);
  }
  return null;
}

function instantOf(createdTime: string | undefined): string | undefined {
  try {
    return isEmpty(createdTime) ? undefined : readInstant(createdTime);
  } catch {
    return undefined;
  }
}

/** The content of a cell, short enough for a report. */
function kind(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
