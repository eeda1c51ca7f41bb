/** An outbox on a database, over a store that can be made to misbehave, on a clock that the test moves. */

import { createOutbox } from "../../lib/analytics/outbox.ts";
import type { UsageBatch } from "../../lib/analytics/record.ts";
import { StoreError, type UsageStore } from "../../lib/analytics/store.ts";
import { openKv } from "../../lib/kv/open.ts";
import { createEmbeddedStore } from "../../lib/analytics/embedded.ts";
import { NOON, TODAY } from "./world.ts";

type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxWorld extends Disposable {
  readonly kv: Deno.Kv;
  readonly store: UsageStore;
  readonly outbox: Outbox;
  /** Another isolate's. */
  readonly other: Outbox;
  readonly now: () => number;
  advance(milliseconds: number): void;
  /** What happens to an insert instead of, or around, the real one. */
  onInsert: (batches: readonly UsageBatch[], insert: () => Promise<void>) => Promise<void>;
  /** How often the store was asked to insert. */
  inserts: number;
  /** The first words of what was logged. */
  readonly logged: string[];
  /** What the store holds of today: requests and nano-dollars. */
  held(): Promise<[requests: number, cost: bigint]>;
}

export async function createOutboxWorld(): Promise<OutboxWorld> {
  const [kv, analyticsKv] = [await openKv(":memory:"), await openKv(":memory:")];
  const real = createEmbeddedStore(analyticsKv);
  const logged: string[] = [];
  let at = NOON;
  const now = () => at;
  const store: UsageStore = {
    ...real,
    insert(batches) {
      world.inserts++;
      return world.onInsert(batches, () => real.insert(batches));
    },
  };
  const write = (text: unknown) => void logged.push(String(text));
  const log = { warn: write, error: write };
  const world: OutboxWorld = {
    kv,
    store,
    outbox: createOutbox({ kv, store, now, log }),
    other: createOutbox({ kv, store, now, log }),
    now,
    advance(milliseconds) {
      at += milliseconds;
    },
    onInsert: (_batches, insert) => insert(),
    inserts: 0,
    logged,
    async held() {
      const question = { from: TODAY, to: TODAY, accountId: null, by: "account" as const };
      const { total } = await store.query(question);
      return [total.requests, total.cost];
    },
    [Symbol.dispose]() {
      kv.close();
      analyticsKv.close();
    },
  };
  return world;
}

/** A store that is down. */
export const DOWN: OutboxWorld["onInsert"] = () => Promise.reject(new StoreError("it is down"));

/** A store that keeps everything, and whose answer is lost. */
export const ANSWER_LOST: OutboxWorld["onInsert"] = async (_batches, insert) => {
  await insert();
  throw new StoreError("the connection broke");
};
