/**
 * Several isolates over one database, on a clock that the test moves. An isolate can be frozen at any of its database
 * operations, as a process that is stopped or dies there. In one world the events say when they were read; in the
 * other, a stand-in for Airtable notifies the isolates, and the test decides the fate of each notification.
 *
 *     await using world = await createWorld();
 *     const [reader, other] = world.isolates(2);
 *     reader.freeze();
 *     await world.time.advance(LEASE);
 *
 *     await using world = await createNotifiedWorld();
 *     world.edit("Jam");
 *     await world.run(30 * SECOND);
 *     await world.ask(world.isolates[0]);
 */

import assert from "node:assert/strict";
import { createCallCounter, readCalls } from "../../lib/events/airtable/quota.ts";
import { createHookKeeper, readHook } from "../../lib/events/airtable/webhook.ts";
import { createAirtableStore } from "../../lib/events/airtable/table.ts";
import type { Catalog } from "../../lib/events/catalog.ts";
import { COLUMN_NAMES } from "../../lib/platform/event_columns.ts";
import { createRecordParser, type StoreRecord } from "../../lib/events/reading/record.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { createEventsSource, type EventsSource } from "../../lib/events/keeping/source.ts";
import { sendFromCatalog } from "../../lib/events/respond.ts";
import type { RecordStore } from "../../lib/events/reading/record_store.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import type { AirtableStandInOptions } from "../../lib/sandbox/airtable.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { type Fate, faultyKv } from "./faulty_kv.ts";
import { createMemoryKv } from "./memory_kv.ts";
import { ACCESS, createTable } from "./table.ts";
import { createVirtualTime } from "./virtual_time.ts";

/** Milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The initial time, in epoch milliseconds: the beginning of a month, by which calls are counted. */
export const START = Date.parse("2026-10-01T00:00:00Z");
/** The maximum age of a client's events, in milliseconds. */
const MAX_LAG = 300_000;
/** The time for which a dead reader blocks the others, in milliseconds, as in `lib/events/keeping/internal/renewal.ts`. */
export const LEASE = 75_000;
const parseRecord = createRecordParser(COLUMN_NAMES, "UTC");
/** The maximum difference of two isolates' clocks, in milliseconds. */
const SKEW = 5_000;

/** One process or isolate of the service. */
export interface Isolate {
  readonly source: EventsSource;
  /** The offset of its clock in milliseconds. */
  ahead: number;
  /** Allows so many more database operations, then none until it is thawed. */
  freeze(operations?: number): void;
  thaw(): void;
  readonly isFrozen: boolean;
  /** Whether an operation waits for the thaw. */
  readonly isHeld: boolean;
  /** The time of the last thaw. */
  readonly thawedAt: number;
  /** Does work during which the clock stands still. */
  hold<T>(work: () => Promise<T> | T): Promise<T>;
}

/** What an isolate's store and hook are made with. */
interface Own {
  readonly kv: Deno.Kv;
  readonly now: () => number;
  /** The clock stands still until the next database operation: other threads may be at work. */
  prepare(): void;
}

type SourceOptions = Parameters<typeof createEventsSource>[0];

/** An empty database, and a clock that waits for the work of the isolates on it. */
function openGround(kv: Deno.Kv, quietTurns?: number) {
  const logged: string[] = [];
  const log = (...parts: unknown[]) => void logged.push(Deno.inspect(parts, { depth: 6 }));
  let working = 0;
  const time = createVirtualTime(START, () => working > 0, quietTurns);

  function isolate(
    make: (own: Own) => Pick<SourceOptions, "store" | "policy" | "hook">,
  ): Isolate {
    let left = Infinity;
    let thawed = Promise.withResolvers<void>();
    let thawedAt = -Infinity;
    let [preparing, holding, held] = [0, 0, 0];
    async function letThrough(): Promise<Fate> {
      working -= preparing;
      preparing = 0;
      while (left <= 0) {
        // Its unfinished work does not go on.
        working -= holding;
        holding = 0;
        held++;
        await thawed.promise.finally(() => held--);
      }
      left--;
      working++;
      return "work";
    }
    const own: Own = {
      kv: faultyKv(kv, letThrough, () => void working--),
      now: () => time.now() + self.ahead,
      prepare() {
        working++;
        preparing++;
      },
    };
    const self: Isolate = {
      source: createEventsSource({
        ...make(own),
        ...own,
        columns: COLUMN_NAMES,
        timeZone: "UTC",
        baseUrl: "https://foyer.example",
        sleep: time.sleep,
        log: { warn: log, error: log },
      }),
      ahead: 0,
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
      get isFrozen() {
        return left <= 0;
      },
      get isHeld() {
        return held > 0;
      },
      get thawedAt() {
        return thawedAt;
      },
      async hold(work) {
        working++;
        holding++;
        try {
          return await work();
        } finally {
          if (holding > 0) {
            working--;
            holding--;
          }
        }
      },
    };
    return self;
  }

  return {
    kv,
    time,
    logged,
    log,
    isolate,
    /** The clock stands still until the returned function is called. */
    work(): () => void {
      working++;
      return () => void working--;
    },
  };
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
    return makeRecords(3, `seen ${startedAt}`);
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
  const { time, logged, isolate: start } = openGround(kv);
  const made: Isolate[] = [];
  const store = new ClockStore(time.now);
  const policy = {
    pollMilliseconds: refreshSeconds * SECOND,
    hasHook: false,
    callsPerMonth: undefined,
  };

  function isolate(): Isolate {
    const self: Isolate = start(({ prepare }) => ({
      store: {
        origin: () => "appTest",
        ...other,
        async read(signal) {
          if (other !== undefined) return (await other.read(signal)).map(parseRecord);
          return (await store.read(self).finally(prepare)).map(parseRecord);
        },
      },
      policy,
      hook: null,
    }));
    made.push(self);
    return self;
  }

  return {
    kv,
    time,
    store,
    logged,
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

async function answerOf(world: World, { source, hold }: Isolate): Promise<Seen | PublicError> {
  try {
    const req = new Request("https://foyer.example/api/v1/events");
    const info = { completed: Promise.resolve() };
    const choose = (catalog: Catalog) => hold(() => catalog.list(parseListQuery("")));
    const response = await sendFromCatalog({ req, info }, source, choose);
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

/** Turns of the event loop without work after which all work in a notified world counts as done. */
const QUIET_TURNS = 12;

/** An isolate that can be notified. */
export interface NotifiedIsolate extends Isolate {
  /** The reaction of its door to a notification. */
  receive(mac: string | null, body: Uint8Array): Promise<boolean>;
}

/** The fate of a notification. */
export type Passage = "arrive" | "lose" | "refuse" | "double" | number;

/** The options of a world. */
interface NotifiedOptions {
  readonly isolates?: number;
  readonly records?: number;
  readonly budget?: number;
  readonly refreshSeconds?: number;
  readonly isNotified?: boolean;
  /** The interval of the job; null: it never runs. */
  readonly cronMilliseconds?: number | null;
  readonly standIn?: Partial<AirtableStandInOptions>;
  /** The fate of each notification: a number delays it by so many milliseconds. */
  readonly passage?: () => Passage;
}

/** Creates a world whose clock jumps from one event to the next, and runs its job for the first time. */
export async function createNotifiedWorld({
  isolates: count = 2,
  records = 1,
  budget,
  refreshSeconds = 120,
  isNotified = true,
  cronMilliseconds = 5 * MINUTE,
  standIn = {},
  passage = () => "arrive",
}: NotifiedOptions = {}) {
  const kv = createMemoryKv();
  const { time, logged, log, isolate: start, work } = openGround(kv, QUIET_TURNS);
  const { now, sleep, settle, run } = time;
  let isOver = false;
  // Work in slices goes on after timers of the platform, for which the clock waits.
  const { setTimeout: startTimer } = globalThis;
  globalThis.setTimeout = ((then: () => void, milliseconds = 0) => {
    if (milliseconds > 0) return startTimer(then, milliseconds);
    const end = work();
    return startTimer(() => {
      end();
      then();
    });
  }) as typeof setTimeout;
  const living = () => isolates.filter(({ isFrozen }) => !isFrozen);
  /** Notifications: when they arrived, and how many editions there were when they came in. */
  const arrivals: { readonly at: number; readonly isTaken: boolean; readonly editions: number }[] =
    [];
  async function arrive(init: RequestInit): Promise<Response> {
    const [isolate] = living();
    const { length: known } = editions;
    const body = new TextEncoder().encode(String(init.body));
    const mac = new Headers(init.headers).get("x-airtable-content-mac");
    const isTaken = isolate !== undefined && await isolate.receive(mac, body);
    arrivals.push({ at: now(), isTaken, editions: known });
    return new Response(null, { status: isTaken ? 204 : 404 });
  }
  const table = "tblTest0000000001";
  const airtable = createTable({
    records: makeRecords(records, "first"),
    ...{ table, tableId: table, now },
    later: (then, milliseconds) => void sleep(milliseconds).then(then),
    async deliver(_url, init = {}) {
      const way = passage();
      if (way === "lose") return new Response(null, { status: 204 });
      if (way === "refuse") return new Response(null, { status: 503 });
      if (way === "double") void arrive(init);
      const delay = typeof way === "number" ? sleep(way) : Promise.resolve();
      // Airtable waits so long for an answer; what it has given up may still arrive, after its next try.
      const late = sleep(25 * SECOND).then(() => new Response(null, { status: 504 }));
      return await Promise.race([delay.then(() => arrive(init)), late]);
    },
    ...standIn,
  });
  /** The beginning of each read of the whole table. */
  const reads: number[] = [];
  /** The states of the table with their times, the oldest first. */
  const editions: { readonly name: string; readonly at: number }[] = [{ name: "first", at: START }];

  function isolate(): NotifiedIsolate {
    const keeper: { hook?: ReturnType<typeof createHookKeeper> } = {};
    const self = start(({ kv, now: ownNow, prepare }) => {
      const calls = createCallCounter({ kv, budget, isNotified, now: ownNow, log: { warn: log } });
      const access = {
        ...ACCESS,
        table,
        // The clock waits until the records of a response have been parsed, in slices.
        fetch: (...given: Parameters<typeof fetch>) =>
          airtable.substitute(...given).finally(prepare),
        view: undefined,
        parseRecord,
        calls,
        pace: () => Promise.resolve(),
      };
      const store = createAirtableStore(access);
      const hook = createHookKeeper({
        ...access,
        baseUrl: "https://foyer.example",
        kv,
        now: ownNow,
        log: { info() {}, warn: log, error: log },
      });
      keeper.hook = hook;
      return {
        store: {
          ...store,
          async read(signal) {
            const startedAt = now();
            const found = await store.read(signal);
            reads.push(startedAt);
            prepare();
            return found;
          },
        },
        policy: {
          hasHook: isNotified,
          callsPerMonth: budget,
          pollMilliseconds: refreshSeconds * SECOND,
        },
        hook: isNotified ? hook : null,
      };
    });
    return Object.assign(self, {
      async receive(mac: string | null, body: Uint8Array) {
        const { hook } = keeper;
        const isAuthentic = await self.hold(async () =>
          hook !== undefined && hook.isMac(mac) && await hook.isAuthentic(mac, body)
        );
        if (!isAuthentic) return false;
        await self.source.notify();
        return true;
      },
    });
  }

  const isolates = Array.from({ length: count }, isolate);
  async function cron(): Promise<void> {
    while (!isOver && cronMilliseconds !== null) {
      for (const { source } of living()) void source.refresh();
      await sleep(cronMilliseconds);
    }
  }
  const world = {
    kv,
    airtable,
    isolates,
    logged,
    reads,
    editions,
    arrivals,
    now,
    sleep,
    run,
    /** Starts another isolate. */
    add(): NotifiedIsolate {
      const added = isolate();
      isolates.push(added);
      return added;
    },
    /** Changes every record of the table. */
    edit(name: string, size = records): void {
      editions.push({ name, at: now() });
      airtable.setRecords(makeRecords(size, name));
    },
    /** A client's response now: the name of every event, and for how long the client may cache it. */
    async ask({ source }: NotifiedIsolate): Promise<Shown | PublicError> {
      let answer: Shown | PublicError | null = null;
      const asked = Promise.try(() => source.catalog()).then(shownBy, (error) => {
        if (error instanceof PublicError) return error;
        throw error;
      }).then((found) => answer = found);
      await settle();
      for (let waited = 0; answer === null; waited++) {
        assert.ok(waited < 600, "an answer comes");
        await run(100);
      }
      return await asked;
    },
    life: async () => (await readHook(kv)).life,
    calls: () => readCalls(kv, now()),
    async [Symbol.asyncDispose]() {
      globalThis.setTimeout = startTimer;
      isOver = true;
      await settle();
    },
  };
  void cron();
  await settle();
  return world;
}

/** A world of isolates that are notified. */
export type NotifiedWorld = Awaited<ReturnType<typeof createNotifiedWorld>>;

/** A client's response. */
export interface Shown {
  readonly name: string;
  readonly maxAgeSeconds: number;
}

function shownBy(catalog: Catalog): Shown {
  const [name = "", ...others] = catalog.events(parseListQuery("")).map(({ name }) => name);
  for (const other of others) assert.equal(other, name, "all of one edition");
  return { name, maxAgeSeconds: catalog.maxAge(Infinity) };
}

function makeRecords(count: number, name: string): StandInRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `rec${String(index).padStart(14, "0")}`,
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { "Name": name, "Start Date": "2026-01-01" },
  }));
}
