/** Snapshots that tests make of records, each with the history that it carries on. */

import type { History } from "../../lib/events/history.ts";
import type { RecordOutcome } from "../../lib/events/record.ts";
import { buildSnapshot as build, type Snapshot } from "../../lib/events/snapshot.ts";
import { packLines, unpackLines } from "../../lib/events/stored.ts";

const histories = new WeakMap<Snapshot, History>();

/** Makes a snapshot that continues an earlier one. */
export async function buildSnapshot(
  outcomes: readonly RecordOutcome[],
  previous: Snapshot | null,
  readAt: number,
): Promise<Snapshot> {
  const history = previous && histories.get(previous) || null;
  const built = await build(outcomes, { history, snapshot: previous }, readAt);
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
