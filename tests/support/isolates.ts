/**
 * Several isolates over one database and one store, on a clock that the test moves. An isolate can be
 * frozen at any of its database operations, as a process that is stopped or dies there.
 *
 *     await using world = await createWorld();
 *     const [reader, other] = world.isolates(2);
 *     reader.freeze();
 *     await world.time.advance(LEASE);
 */

import assert from "node:assert/strict";
import type { Catalog } from "../../lib/events/catalog.ts";
import { COLUMN_NAMES } from "../../lib/platform/columns.ts";
import { createRecordParser, type StoreRecord } from "../../lib/events/record.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { createEventsSource, type EventsSource } from "../../lib/events/source.ts";
import { sendFromCatalog } from "../../lib/events/respond.ts";
import type { RecordStore } from "../../lib/events/store.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { type Fate, faultyKv } from "./faulty_kv.ts";
import { createVirtualTime } from "./virtual_time.ts";

/** The initial time, in epoch milliseconds. */
export const START = Date.parse("2026-11-21T12:00:00Z");
/** The maximum age of a client's events, in milliseconds. */
const MAX_LAG = 300_000;
/** The time for which a dead reader blocks the others, in milliseconds, as in `lib/events/renewal.ts`. */
export const LEASE = 75_000;
const parseRecord = createRecordParser(COLUMN_NAMES, "UTC");
/** The maximum difference of two isolates' clocks, in milliseconds. */
const SKEW = 5_000;

/** One process or isolate of the service. */
export interface Isolate {
  readonly source: EventsSource;
  /** Allows so many more database operations, then none until it is thawed. */
  freeze(operations?: number): void;
  thaw(): void;
  /** Whether an operation waits for the thaw. */
  readonly isHeld: boolean;
  /** The time of the last thaw. */
  readonly thawedAt: number;
}

/** A read of the store that has begun. */
interface Read {
  readonly isolate: Isolate;
  readonly startedAt: number;
}

/** The store: three records that contain the time at which their read began. */
class ClockStore {
  reads = 0;
  /** The error with which reads end, if any; examined at the end of a read. */
  failure: unknown = null;
  /** Reads that begin from now on end when this promise does. */
  gate: Promise<unknown> = Promise.resolve();
  /** Descriptions of reads that overlapped although the first one's lease was valid. */
  readonly collisions: string[] = [];
  private readonly running = new Set<Read>();
  private readonly closed: (() => void)[] = [];

  constructor(private readonly now: () => number) {}

  async read(isolate: Isolate): Promise<readonly StoreRecord[]> {
    const startedAt = this.now();
    this.reads++;
    for (const other of this.running) {
      // An isolate that was frozen between its lease and its read begins to read late: no lease prevents that.
      const late = isolate.thawedAt >= other.startedAt ||
        other.isolate.thawedAt > other.startedAt - LEASE;
      if (startedAt < other.startedAt + LEASE && startedAt >= other.startedAt && !late) {
        this.collisions.push(
          `at ${startedAt - START}, beside the read of ${other.startedAt - START}`,
        );
      }
    }
    const read: Read = { isolate, startedAt };
    this.running.add(read);
    try {
      await this.gate;
      if (this.failure !== null) throw this.failure;
    } finally {
      this.running.delete(read);
    }
    return ["A", "B", "C"].map((id) => ({
      id,
      createdTime: "2026-01-01T00:00:00.000Z",
      fields: { "Name": `seen ${startedAt}`, "Start Date": "2026-01-01" },
    }));
  }

  /** Makes the reads that begin from now on slow; returns a function that ends them. */
  close(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = promise;
    this.closed.push(resolve);
    return resolve;
  }

  /** Ends every slow read, and makes later ones quick and successful. */
  open(): void {
    for (const end of this.closed) end();
    this.gate = Promise.resolve();
    this.failure = null;
  }
}

/** The isolates and what they share. */
export type World = Awaited<ReturnType<typeof createWorld>>;

/** An empty database and a working store of records. `other` replaces the default store. */
export async function createWorld(other?: RecordStore<StoreRecord>, refreshSeconds = 120) {
  const kv = await Deno.openKv(":memory:");
  const made: Isolate[] = [];
  const logged: string[] = [];
  let working = 0;
  const time = createVirtualTime(START, () => working > 0);
  const store = new ClockStore(time.now);
  const log = (...parts: unknown[]) => void logged.push(Deno.inspect(parts));

  function isolate(): Isolate {
    let left = Infinity;
    let thawed = Promise.withResolvers<void>();
    let thawedAt = -Infinity;
    let preparing = 0;
    let held = 0;
    async function letThrough(): Promise<Fate> {
      working -= preparing;
      preparing = 0;
      while (left <= 0) {
        held++;
        await thawed.promise.finally(() => held--);
      }
      left--;
      working++;
      return "work";
    }
    const self: Isolate = {
      source: createEventsSource({
        kv: faultyKv(kv, letThrough, () => void working--),
        store: {
          ...other,
          async read(signal) {
            if (other !== undefined) return (await other.read(signal)).map(parseRecord);
            try {
              return (await store.read(self)).map(parseRecord);
            } finally {
              // Between the end of a read and the next operation other threads may be at work.
              working++;
              preparing++;
            }
          },
        },
        policy: {
          pollMilliseconds: refreshSeconds * 1_000,
          hasHook: false,
          callsPerMonth: undefined,
        },
        hook: null,
        timeZone: "UTC",
        baseUrl: "https://foyer.example",
        now: time.now,
        sleep: time.sleep,
        log: { warn: log, error: log },
      }),
      freeze(operations = 0) {
        left = operations;
      },
      thaw() {
        if (left === Infinity) return;
        left = Infinity;
        thawedAt = time.now();
        thawed.resolve();
        thawed = Promise.withResolvers();
      },
      get isHeld() {
        return held > 0;
      },
      get thawedAt() {
        return thawedAt;
      },
    };
    made.push(self);
    return self;
  }

  return {
    kv,
    time,
    store,
    logged,
    /** Does work during which the clock stands still. */
    async hold<T>(work: () => Promise<T> | T): Promise<T> {
      working++;
      try {
        return await work();
      } finally {
        working--;
      }
    },
    isolate,
    isolates: (count: number) => Array.from({ length: count }, isolate),
    async [Symbol.asyncDispose]() {
      // All running work ends, so that nothing uses the database after it is closed.
      store.open();
      for (const each of made) each.thaw();
      await time.through(Promise.all(made.map(({ source }) => source.refresh())), 30_000);
      kv.close();
    },
  };
}

/** A client's response. */
interface Seen {
  /** The time at which its events were read. */
  readonly at: number;
  readonly etag: string;
  readonly maxAgeSeconds: number;
}

/** Sends a client's request, and checks the response against the promise of five minutes. */
export function ask(world: World, isolate: Isolate): Promise<Seen | PublicError> {
  const asked = answerOf(world, isolate);
  // A test may await the response much later; until then, a rejection counts as handled.
  asked.catch(() => {});
  return asked;
}

async function answerOf(world: World, { source }: Isolate): Promise<Seen | PublicError> {
  try {
    const request = new Request("https://foyer.example/api/v1/events");
    const choose = (catalog: Catalog) => world.hold(() => catalog.list(parseListQuery("")));
    const response = await sendFromCatalog(request, source, choose);
    const answeredAt = world.time.now();
    const { data, meta } = await response.json();
    const seen = data.map((event: { name: string }) => Number(/seen (\d+)/.exec(event.name)?.[1]));
    const at = seen[0];
    assert.deepEqual(seen, [at, at, at], "all of one read, and nothing of another");
    const maxAgeSeconds = Number(
      /^max-age=(\d+)$/.exec(response.headers.get("cache-control") ?? "")?.[1],
    );
    // A clock that was set back cannot tell the age of events from its future.
    const oldest = answeredAt + maxAgeSeconds * 1_000 - Math.min(at, answeredAt);
    assert.ok(oldest <= MAX_LAG, `a client may see data of ${oldest} ms`);
    assert.ok(at <= answeredAt + SKEW, "nothing from the future");
    assert.ok(Date.parse(meta.generatedAt) <= at, "generatedAt is no promise too much");
    return { at, etag: response.headers.get("etag") ?? "", maxAgeSeconds };
  } catch (error) {
    if (error instanceof PublicError) return error;
    throw error;
  }
}

/** The time at which a response's events were read, in milliseconds since the start; fails for a refusal. */
export function seenAt(answer: Seen | PublicError): number {
  assert.ok(!(answer instanceof PublicError), String(answer));
  return answer.at - START;
}

/** The seconds after which a refused client may retry. */
export function retryAfter(answer: unknown): number {
  assert.ok(answer instanceof PublicError, "an answer, where a refusal was due");
  assert.equal(answer.code, "upstream_error");
  assert.equal(answer.status, 502);
  assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  return Number(answer.headers["retry-after"]);
}
