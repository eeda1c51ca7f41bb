/** Snapshots that tests make of records, each with the history that it carries on. */

import type { History } from "../../lib/events/keeping/history.ts";
import { createRecordParser, type StoreRecord } from "../../lib/events/reading/record.ts";
import { buildSnapshot as build, type Snapshot } from "../../lib/events/keeping/snapshot.ts";
import { COLUMN_NAMES } from "../../lib/platform/event_columns.ts";
import { packLines, unpackLines } from "../../lib/events/keeping/stored.ts";

const histories = new WeakMap<Snapshot, History>();

/** The time of a read, unless a test says otherwise. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");
export const parseRecord = createRecordParser(COLUMN_NAMES, "UTC");

/** A record of a valid event, unless the fields say otherwise. */
export const record = (id: string, fields: Record<string, unknown> = {}): StoreRecord => ({
  id,
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: { "Name": `Event ${id}`, "Start Date": "2026-12-01", ...fields },
});

/** Makes a snapshot of records that continues an earlier one. */
export async function snapshotOf(
  records: readonly StoreRecord[],
  previous: Snapshot | null = null,
  readAt = NOON,
): Promise<Snapshot> {
  const history = previous && histories.get(previous) || null;
  const outcomes = records.map(parseRecord);
  const columns = { counts: {}, lost: [] };
  const built = await build(outcomes, { history, snapshot: previous }, readAt, columns);
  histories.set(built.snapshot, built.history);
  return built.snapshot;
}

/** A snapshot as it comes back from the database, with its history. */
export async function throughBytes(
  { meta, ...content }: Snapshot,
  of?: Snapshot,
): Promise<Snapshot> {
  const unpacked = await unpackLines<Omit<Snapshot, "meta">>(await packLines(content));
  const snapshot = { ...unpacked, meta };
  const history = of && histories.get(of);
  if (history) histories.set(snapshot, await unpackLines<History>(await packLines(history)));
  return snapshot;
}
