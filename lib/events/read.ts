/** One read of the record store: its records are compared with the last ones, and become the next snapshot. */

import type { Log } from "../platform/log.ts";
import { nextTurn } from "../platform/timeout.ts";
import { findLoss, LossError, lossInWords } from "./loss.ts";
import type { RecordOutcome } from "./record.ts";
import {
  buildSnapshot,
  type Built,
  type Past,
  type Snapshot,
  type SnapshotMeta,
} from "./snapshot.ts";
import { isAccepted, type RecordStore } from "./store.ts";

/** The dependencies of reads. */
export interface StoreReaderOptions {
  readonly kv: Deno.Kv;
  readonly store: RecordStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn" | "error">;
}

/** The result of a read. */
interface StoreReading extends Built {
  /** The store's revision before the read; null if it has none. */
  readonly revision: string | null;
}

const READ_TIMEOUT_MILLISECONDS = 60_000;
/** The problems of one read that the log names. */
const MAX_LOGGED = 20;

/**
 * Reads the store.
 *
 * @param past what the read continues.
 * @param served the notification and the hook that it serves, determined before it.
 * @param readAt epoch milliseconds.
 * @throws {ReadError} if the store cannot be read, or the read would lose too much.
 */
export async function readStore(
  options: StoreReaderOptions,
  past: Past,
  served: Pick<SnapshotMeta, "served" | "hookId">,
  readAt: number,
): Promise<StoreReading> {
  const { store } = options;
  const revision = store.revision?.() ?? null;
  const outcomes = await store.read(AbortSignal.timeout(READ_TIMEOUT_MILLISECONDS));
  await refuseLoss(options, past.history?.events ?? [], outcomes);
  await nextTurn();
  const { history, snapshot } = await buildSnapshot(outcomes, past, readAt, "hookId" in served);
  return { history, snapshot: { ...snapshot, meta: { ...snapshot.meta, ...served } }, revision };
}

/** @throws {LossError} if the read would lose too much, and no operator has accepted exactly this loss. */
async function refuseLoss(
  options: StoreReaderOptions,
  known: readonly { readonly id: string; readonly name: string }[],
  outcomes: readonly RecordOutcome[],
): Promise<void> {
  const loss = await findLoss(known, outcomes);
  if (loss === null) return;
  if (await isAccepted(options.kv, loss, options.now())) {
    const what = { reason: lossInWords(loss) };
    options.log.warn("events: a read with a loss that an operator has accepted is used", what);
    return;
  }
  throw new LossError(loss);
}

/** Logs the problems that the previous snapshot did not have: the first ones, and how many more there are. */
export function reportProblems(
  { log }: Pick<StoreReaderOptions, "log">,
  { problems }: Snapshot,
  previous: Snapshot | null,
): void {
  if (problems === previous?.problems) return;
  const known = new Set(previous?.problems.map((problem) => JSON.stringify(problem)));
  const found = problems.filter((problem) => !known.has(JSON.stringify(problem)));
  for (const problem of found.slice(0, MAX_LOGGED)) {
    log.warn("events: a record has a problem", problem);
  }
  const more = found.length - MAX_LOGGED;
  if (more > 0) log.warn("events: more problems, which the desk lists", { more });
}
