/**
 * A record store in a JSON file: a list of records, or an object with them as `records`, as Airtable's API answers, or as
 * `data`, as ours does, and perhaps an `id` of the file, by which its events differ from those of other files. A record
 * has Airtable's layout (`{id, createdTime, fields}`, columns as configured), the same without `fields`, or the API's
 * (`{id, name, startDate, …}`).
 */

import { z } from "zod";
import { type Columns, EVENT_FIELDS, fieldAt } from "../../platform/event_columns.ts";
import { isObject, parseJson } from "../../platform/json.ts";
import { mapInSlices } from "../../platform/timeout.ts";
import type { StoreRecord } from "./record.ts";
import { ReadError, type RecordStore } from "./record_store.ts";

const rows = z.array(z.unknown());
const fileSchema = z.union([
  rows,
  z.object({ records: rows }).transform(({ records }) => records),
  z.object({ data: rows }).transform(({ data }) => data),
]);

/** The origin of a file without an id of its own. */
const ANY_FILE = "file";

/** A store that reads a JSON file; its revision is the file's time and size. */
export function createFileStore<T>(
  path: string,
  columns: Columns,
  parseRecord: (record: StoreRecord) => T,
): RecordStore<T> {
  /** The file's origin at a revision. */
  let known = { origin: ANY_FILE, revision: null as string | null };

  function revision(): string | null {
    try {
      const { mtime, size } = Deno.statSync(path);
      return `${mtime?.getTime()}-${size}`;
    } catch {
      // The read says why.
      return null;
    }
  }

  return {
    // An isolate that serves what another one has read still has to look into the file, once for each revision.
    origin() {
      const at = revision();
      if (at === null || at === known.revision) return known.origin;
      try {
        known = { origin: originOf(Deno.readTextFileSync(path)) ?? known.origin, revision: at };
      } catch {
        // It has just been removed.
      }
      return known.origin;
    },
    async read(signal) {
      let text: string;
      try {
        text = await Deno.readTextFile(path, { signal });
      } catch (cause) {
        throw new ReadError("unavailable", `EVENTS_FILE cannot be read: ${cause}`, null, { cause });
      }
      // Some editors begin a file with a byte order mark.
      const parsed = fileSchema.safeParse(parseJson(text.replace(/^\ufeff/, "")));
      if (!parsed.success) throw new ReadError("nonsense", "EVENTS_FILE is not a list of records");
      return await mapInSlices(parsed.data, (row) => parseRecord(toRecord(row, columns)));
    },
    revision,
  };
}

/** The id that a file gives itself, else one for any file; null while it is damaged, as during an edit. */
function originOf(text: string): string | null {
  const file = parseJson(text.replace(/^\ufeff/, ""));
  if (!isObject(file) && !Array.isArray(file)) return null;
  return isObject(file) && typeof file["id"] === "string" && file["id"].trim() !== ""
    ? file["id"].trim()
    : ANY_FILE;
}

function toRecord(row: unknown, columns: Columns): StoreRecord {
  const { id, createdTime, fields, ...rest } = isObject(row) ? row : {};
  return {
    // The parser reports a record with an empty id.
    id: typeof id === "string" ? id : "",
    // Columns may stand in the row itself; an unknown one stays, so that a row of these is not taken for an empty one.
    fields: isObject(fields) ? fields : {
      ...rest,
      ...Object.fromEntries(EVENT_FIELDS.flatMap((field) => {
        const cell = fieldAt(row, field);
        return cell === undefined ? [] : [[columns[field], cell]];
      })),
    },
    ...typeof createdTime === "string" && { createdTime },
  };
}
