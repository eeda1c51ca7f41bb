/**
 * Delivers usage records to ClickHouse. Where it is configured, the ledger's commit that books a request also marks
 * its record (`["outbox", requestId]`). The outbox reads marked records, inserts them, and removes their marks. Each
 * record is inserted at least once, and ClickHouse counts it once: after a crash or a lost response the work is
 * repeated, and no figure changes.
 *
 * While ClickHouse fails, marks wait. No request waits for this, and no answer of the service depends on it.
 */

import { daysFrom } from "../ledger/retention.ts";
import { listUsageOfDays } from "../ledger/read.ts";
import { OUTBOX, type UsageRecord } from "../ledger/values.ts";
import { beginAtomic, commit } from "../../platform/kv/write.ts";
import { getEntries, hasEntries, listEntries } from "../../platform/kv/list.ts";
import { takeLease } from "../../platform/kv/lease.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { type ClickHouse, toRow, type UsageRow } from "./clickhouse.ts";

/** Longer than the work below and one statement of 30 seconds after it. */
const LEASE_MILLISECONDS = 90_000;
const WORK_MILLISECONDS = 40_000;
/** Rows of one insert: about five megabytes, at up to 1 KB each (the ledger shortens texts). */
const ROWS_PER_INSERT = 5_000;
/** A self-hosted KV takes ten checks in a commit. */
const MARKS_PER_COMMIT = 10;
const COMMITS_AT_ONCE = 10;
/** A backlog of this size is an outage whatever its exact number, and counting costs reads. */
const MAX_COUNT = 10_000;

/** A mark: its value is the key of a record, `["usage", accountId, day, at, requestId]`. */
type Mark = Deno.KvEntry<Deno.KvKey>;

interface OutboxOptions extends Pick<Platform, "kv"> {
  readonly clickHouse: Pick<ClickHouse, "insert">;
  readonly log: Pick<Log, "error">;
}

/** Creates the outbox of a process. */
export function createOutbox(options: OutboxOptions & Pick<Platform, "now">) {
  const { kv, clickHouse, now, log } = options;

  /** Delivers until no record waits or the time is over. @throws {ClickHouseError} if ClickHouse fails. */
  async function drain(): Promise<number> {
    const endsAt = now() + WORK_MILLISECONDS;
    let records = 0;
    while (now() < endsAt) {
      const marks = await listMarks(kv, ROWS_PER_INSERT);
      if (marks.length === 0) break;
      const rows = await readRows(marks);
      await clickHouse.insert(rows);
      records += rows.length;
      await removeMarks(kv, marks);
    }
    return records;
  }

  async function readRows(marks: readonly Mark[]): Promise<UsageRow[]> {
    const entries = await getEntries<UsageRecord>(kv, marks.map(({ value }) => value));
    return entries.flatMap(({ key, value, versionstamp }) => {
      if (value !== null && versionstamp !== null) return [toRow({ value, versionstamp })];
      log.error("A usage record expired before it was delivered.", { key });
      return [];
    });
  }

  return {
    /**
     * Delivers the waiting records, for 40 seconds at most, unless another process is delivering.
     *
     * @returns the number of delivered records.
     * @throws {ClickHouseError} if ClickHouse fails.
     */
    async deliver(): Promise<number> {
      if (!await hasEntries(kv, OUTBOX)) return 0;
      const lease = await takeLease(kv, "outbox", LEASE_MILLISECONDS, now());
      if (lease === null) return 0;
      try {
        return await drain();
      } finally {
        await lease.release();
      }
    },
  };
}

/** Counts the records that wait for ClickHouse, up to 10,000. */
export async function readBacklog(kv: Deno.Kv): Promise<number> {
  return (await listMarks(kv, MAX_COUNT)).length;
}

/**
 * Inserts the records of some days into ClickHouse, delivered before or not: it counts each once.
 *
 * @returns the number of records.
 * @throws {ClickHouseError} if ClickHouse fails.
 */
export async function fillClickHouse(
  { kv, clickHouse }: Pick<OutboxOptions, "kv" | "clickHouse">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<number> {
  let records = 0;
  let rows: UsageRow[] = [];
  async function insert(): Promise<void> {
    await clickHouse.insert(rows);
    records += rows.length;
    rows = [];
  }
  for await (const entry of listUsageOfDays(kv, daysFrom(from, to), null)) {
    rows.push(toRow(entry));
    if (rows.length >= ROWS_PER_INSERT) await insert();
  }
  await insert();
  return records;
}

async function listMarks(kv: Deno.Kv, count: number): Promise<Mark[]> {
  const marks: Mark[] = [];
  for await (const mark of listEntries<Deno.KvKey>(kv, OUTBOX)) {
    if (marks.push(mark) === count) break;
  }
  return marks;
}

/** Removes marks, except those that were set again since they were read: their records have changed. */
async function removeMarks(kv: Deno.Kv, marks: readonly Mark[]): Promise<void> {
  const commits = marks.flatMap((_, at) =>
    at % MARKS_PER_COMMIT === 0 ? [marks.slice(at, at + MARKS_PER_COMMIT)] : []
  );
  for (let at = 0; at < commits.length; at += COMMITS_AT_ONCE) {
    const some = commits.slice(at, at + COMMITS_AT_ONCE);
    await Promise.all(some.map((marks) => removeTogether(kv, marks)));
  }
}

async function removeTogether(kv: Deno.Kv, marks: readonly Mark[]): Promise<void> {
  const operation = beginAtomic(kv);
  for (const mark of marks) operation.check(mark).delete(mark.key);
  const { ok } = await commit(operation);
  if (!ok && marks.length > 1) { for (const mark of marks) await removeTogether(kv, [mark]); }
}
