/**
 * From a row of the record store to an event, or to the reasons why it cannot be one. Rows are typed
 * by people, so nothing about a cell is believed; a bad row never hides a good one.
 */

import { z } from "zod";
import { EVENT_FIELDS, type EventField } from "../config.ts";
import type { Columns } from "./columns.ts";
import { withoutForbidden } from "../text.ts";
import { eventThemeSchema, type StoredEvent } from "./model.ts";
import { EVENT_FORMATS, PROJECT_TYPES } from "./values.ts";

/** A row as a record store gives it (Airtable's layout); `createdTime` is an ISO instant. */
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

/** What is wrong with a row: which, where and why; `leftOut` if the event is not shown for it. */
export interface RecordProblem {
  readonly recordId: string;
  readonly field: string;
  readonly reason: string;
  readonly leftOut: boolean;
}

/** The event of one row (null if it has none) and what is wrong with the row. */
export interface RecordOutcome {
  readonly parsed: ParsedRecord | null;
  readonly problems: readonly RecordProblem[];
}

/** Airtable's own limit of a long text cell is 100,000 characters; a file could hold anything. */
const MAX_TEXT_LENGTH = 131_072;
const MAX_URL_LENGTH = 8_192;
/** An id stands in addresses as it is; `rss` is the feed's address. */
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

/** Outside of these years a date has another form than the contract's, and other order as text. */
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

const cellsSchema = (timeZone: string) =>
  z.object(
    {
      "name": text,
      "description": text,
      "url": text,
      "startDate": day(timeZone),
      "endDate": day(timeZone),
      "announcedAt": instant,
      "format": oneOf(EVENT_FORMATS),
      "inPerson.start": day(timeZone),
      "inPerson.end": day(timeZone),
      "inPerson.location": text,
      "projectTypes": z.preprocess(
        emptyIsAbsent,
        z.array(
          z.enum(PROJECT_TYPES, {
            error: (issue) => `expected ${PROJECT_TYPES.join(", ")}, got ${kind(issue.input)}`,
          }),
          { error: (issue) => `expected a list, got ${kind(issue.input)}` },
        ).max(100, "more than 100 of them").optional(),
      ),
      "slackChannel": text,
      "slackUrl": text,
      "requirements": text,
      "pinned": z.preprocess(emptyIsAbsent, z.boolean("expected true or false").optional()),
      "logoUrl": image,
      "background.type": oneOf(["color", "image"]),
      "background.color": text,
      "background.imageUrl": image,
      "theme.text": text,
      "theme.accent": text,
      "theme.logoSize": number,
      "theme.button.color": text,
      "theme.button.textColor": text,
      "theme.button.borderRadius": number,
      "theme.button.borderWidth": number,
      "theme.button.borderColor": text,
    } satisfies Record<EventField, z.ZodType>,
  );

type Cells = z.output<ReturnType<typeof cellsSchema>>;

/**
 * A parser of rows whose columns are named by `columns`.
 *
 * @param timeZone IANA zone in which an instant in a day's column becomes a day.
 */
export function createRecordParser(
  columns: Columns,
  timeZone: string,
): (record: StoreRecord) => RecordOutcome {
  const schema = cellsSchema(timeZone);
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

    const parsed = toEvent(record, cells.data, (field, reason, leftOut) => {
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
  const inPerson = {
    start: cells["inPerson.start"] ?? null,
    end: cells["inPerson.end"] ?? null,
    location: cells["inPerson.location"] ?? null,
  };
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
      name,
      description: cells.description ?? null,
      url: cells.url ?? null,
      startDate,
      endDate,
      announcedAt,
      format: cells.format ?? null,
      inPerson: meets ? inPerson : null,
      projectTypes: [...new Set(cells.projectTypes ?? [])],
      slackChannel: cells.slackChannel?.replace(/^[#\s]+/, "") || null,
      slackUrl: cells.slackUrl ?? null,
      requirements: cells.requirements ?? null,
      pinned: cells.pinned ?? false,
      logoUrl: logo?.url ?? null,
      background,
      theme: readTheme(cells, report),
    },
    logo,
    backgroundImage,
  };
}

/** A background needs its type and what that type uses; a half-made one is none yet. */
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

/** A theme is whole or not there: clients may rely on every field (contract, EventTheme). */
function readTheme(cells: Cells, report: Report): StoredEvent["theme"] {
  const theme = {
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
  };
  const whole = eventThemeSchema.safeParse(theme);
  if (whole.success) return whole.data;
  const themeFields = EVENT_FIELDS.filter((field) => field.startsWith("theme."));
  const [firstMissing, ...rest] = themeFields.filter((field) => cells[field] === undefined);
  if (firstMissing !== undefined && rest.length + 1 < themeFields.length) {
    report(firstMissing, "missing: the event is shown without its theme", false);
  }
  return null;
}

/** What a cell holds, short enough for a report. */
function kind(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
