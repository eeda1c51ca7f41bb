/**
 * Turns a row of the record store into an event, or reports why it cannot be one. People type rows, so every
 * cell is checked, and a bad row never hides a good one.
 */

import { z } from "zod";
import { type Columns, EVENT_CELLS, EVENT_FIELDS, type EventField } from "../columns.ts";
import { withoutForbidden } from "../text.ts";
import type { StoredEvent } from "./model.ts";
import { EVENT_FORMATS, PROJECT_TYPES } from "./values.ts";

/** A row of a record store, in Airtable's layout; `createdTime` is an ISO instant. */
export interface StoreRecord {
  readonly id: string;
  readonly createdTime?: string;
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
const MAX_TEXT_LENGTH = 131_072;
const MAX_URL_LENGTH = 8_192;
/** Addresses contain an id unchanged; `rss` is the feed's address. */
const RECORD_ID = /^(?!rss$)[\w-]{1,64}$/;

const emptyIsAbsent = (value: unknown) =>
  value === null || value === "" || (typeof value === "string" && value.trim() === "")
    ? undefined
    : value;

const text = z.preprocess(
  (value) =>
    emptyIsAbsent(
      typeof value === "string"
        ? withoutForbidden(value.toWellFormed().replaceAll("\r\n", "\n")).trim()
        : value,
    ),
  z.string({ error: (issue) => `expected text, got ${kind(issue.input)}` })
    .max(MAX_TEXT_LENGTH, `longer than ${MAX_TEXT_LENGTH} characters`)
    .optional(),
);

const number = z.preprocess(
  emptyIsAbsent,
  z.number({ error: (issue) => `expected a number, got ${kind(issue.input)}` })
    .min(0, "expected a number from 0 to 10000").max(10_000, "expected a number from 0 to 10000")
    .optional(),
);

const oneOf = <const T extends readonly string[]>(allowed: T) =>
  z.preprocess(
    emptyIsAbsent,
    z.enum(allowed, {
      error: (issue) => `expected ${allowed.join(", ")} or nothing, got ${kind(issue.input)}`,
    }).optional(),
  );

const image = z.preprocess(
  emptyIsAbsent,
  z.union([
    z.string().max(MAX_URL_LENGTH).transform((url): EventImage => ({ attachmentId: null, url })),
    z.array(z.object({ id: z.string(), url: z.string().max(MAX_URL_LENGTH) }))
      .transform(([first]): EventImage | undefined =>
        first && { attachmentId: first.id, url: first.url }
      ),
  ], "expected an attachment with id and url, or an address").optional(),
);

/** Outside these years a date is not written as in the contract, and does not sort as text. */
const hasPlainYear = (value: string) => value >= "1900" && value < "3000";

/** A cell with a time or a day in it. */
const moment = (example: string, read: (value: string) => string) => {
  const expected = (value: unknown) => `expected ${example}, got ${kind(value)}`;
  return z.preprocess(
    emptyIsAbsent,
    z.string({ error: (issue) => expected(issue.input) })
      .max(40, { error: (issue) => expected(issue.input) })
      .transform((value, context) => {
        try {
          return read(value);
        } catch {
          context.addIssue(expected(value));
          return z.NEVER;
        }
      }).refine(hasPlainYear, "expected a year from 1900 to 2999").optional(),
  );
};

/** A day; an instant (a column with a time) counts as its day in the organisation's time zone. */
const day = (timeZone: string) =>
  moment("a day that exists, such as 2026-03-12", (value) => {
    if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return Temporal.PlainDate.from(value).toString();
    return Temporal.Instant.from(value).toZonedDateTimeISO(timeZone).toPlainDate().toString();
  });

const instant = moment(
  "an instant such as 2026-03-12T09:00:00Z",
  (value) => new Date(Temporal.Instant.from(value).epochMilliseconds).toISOString(),
);

/** How cells of each kind are read. */
const createCellSchemas = (timeZone: string) => ({
  text,
  number,
  image,
  instant,
  day: day(timeZone),
  boolean: z.preprocess(emptyIsAbsent, z.boolean("expected true or false").optional()),
  format: oneOf(EVENT_FORMATS),
  backgroundType: oneOf(["color", "image"]),
  projectTypes: z.preprocess(
    emptyIsAbsent,
    z.array(
      z.enum(PROJECT_TYPES, {
        error: (issue) => `expected ${PROJECT_TYPES.join(", ")}, got ${kind(issue.input)}`,
      }),
      { error: (issue) => `expected a list, got ${kind(issue.input)}` },
    ).max(100, "more than 100 of them").optional(),
  ),
});

type CellSchemas = ReturnType<typeof createCellSchemas>;
/** The value of each field; undefined for an empty cell. */
type Cells = { readonly [F in EventField]?: z.output<CellSchemas[typeof EVENT_CELLS[F]]> };

/**
 * A parser of rows whose columns are named by `columns`.
 *
 * @param timeZone IANA zone in which an instant in a day's column becomes a day.
 */
export function createRecordParser(
  columns: Columns,
  timeZone: string,
): (record: StoreRecord) => RecordOutcome {
  const schemas = createCellSchemas(timeZone);
  const schema = z.object(
    Object.fromEntries(EVENT_FIELDS.map((field) => [field, schemas[EVENT_CELLS[field]]])),
  );
  return function parseRecord(record) {
    const problems: RecordProblem[] = [];
    const report = (field: string, reason: string, leftOut = true) =>
      problems.push({ recordId: record.id.slice(0, 64), field, reason, leftOut });

    if (!RECORD_ID.test(record.id)) {
      report("id", "expected 1 to 64 letters, digits, - or _, and not the reserved word rss");
    }
    const cells = schema.safeParse(
      Object.fromEntries(EVENT_FIELDS.map((field) => [field, record.fields[columns[field]]])),
    );
    // One reason for each column. The path's first part is a key of the schema, so a field.
    const reasons = new Map(
      cells.error?.issues.map(({ path, message }) => [path[0] as EventField, message]),
    );
    for (const [field, reason] of reasons) report(columns[field], reason);
    if (!cells.success) return { parsed: null, problems };

    // The schema has the schema of each field's kind, which fromEntries cannot express.
    const parsed = toEvent(record, cells.data as Cells, (field, reason, leftOut) => {
      report(columns[field], reason, leftOut);
    });
    return { parsed: problems.some((problem) => problem.leftOut) ? null : parsed, problems };
  };
}

type Report = (field: EventField, reason: string, leftOut?: boolean) => void;

function toEvent(record: StoreRecord, cells: Cells, report: Report): ParsedRecord | null {
  const { name, startDate, endDate = null } = cells;
  const announcedAt = cells.announcedAt ?? instant.safeParse(record.createdTime).data;
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
      projectTypes: [...new Set(cells.projectTypes ?? [])],
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

/** The cells as the event's JSON nests them; null for an empty one. */
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

function nest(cells: Cells): Nested {
  const root: Tree = {};
  for (const field of EVENT_FIELDS) {
    const path = field.split(".");
    const groups = path.slice(0, -1);
    const group = groups.reduce((tree, name) => (tree[name] ??= {}) as Tree, root);
    group[path.at(-1) ?? ""] = cells[field] ?? null;
  }
  // The loop builds what the type describes.
  return root as Nested;
}

/** A background needs its type and the value that the type uses; an incomplete one is left out. */
function readBackground(cells: Cells, report: Report): StoredEvent["background"] {
  const type = cells["background.type"];
  const color = cells["background.color"];
  const imageUrl = cells["background.imageUrl"]?.url ?? null;
  if (type === undefined && color === undefined && imageUrl === null) return null;
  if (type === undefined) {
    report("background.type", "missing: the event is shown without its background", false);
    return null;
  }
  if (type === "color" && color === undefined) {
    report("background.color", "missing: the event is shown without its background", false);
    return null;
  }
  if (type === "image" && imageUrl === null) {
    report("background.imageUrl", "missing: the event is shown without its background", false);
    return null;
  }
  return { type, color: color ?? "transparent", imageUrl };
}

/** A theme is whole or absent: clients may rely on every field (contract, EventTheme). */
function readTheme(theme: Nested["theme"], cells: Cells, report: Report): StoredEvent["theme"] {
  const fields = EVENT_FIELDS.filter((field) => field.startsWith("theme."));
  const missing = fields.filter((field) => cells[field] === undefined);
  const [first] = missing;
  // If no cell is missing, no field is null.
  if (first === undefined) return theme as StoredEvent["theme"];
  if (missing.length < fields.length) {
    report(first, "missing: the event is shown without its theme", false);
  }
  return null;
}

/** The content of a cell, short enough for a report. */
function kind(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
