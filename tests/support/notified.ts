/**
 * Isolates that a stand-in for Airtable notifies, over one database, on a clock that jumps from one event to the
 * next. A test decides the fate of each notification on the network.
 *
 *     await using world = await createNotifiedWorld();
 *     await world.run(MINUTE);
 *     world.edit("Jam");
 *     await world.run(30 * SECOND);
 *     assert.equal(world.shown(world.isolates[0]), "Jam");
 */

import assert from "node:assert/strict";
import { createAirtableStore } from "../../lib/events/airtable/store.ts";
import { createCallCounter, readCalls } from "../../lib/events/airtable/calls.ts";
import { createHookKeeper, readHook } from "../../lib/events/airtable/hook.ts";
import type { Catalog } from "../../lib/events/catalog.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { createRecordParser } from "../../lib/events/record.ts";
import { createEventsSource, type EventsSource } from "../../lib/events/source.ts";
import { COLUMN_NAMES } from "../../lib/platform/columns.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { type AirtableStandInOptions, createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { type Fate, faultyKv } from "./faulty_kv.ts";
import { createVirtualTime } from "./virtual_time.ts";

/** Milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The clock's beginning. */
export const START = Date.parse("2026-10-01T00:00:00Z");

/** Turns of the event loop without work after which all work counts as done. */
const QUIET_TURNS = 12;

/** One process or isolate of the service. */
export interface NotifiedIsolate {
  readonly source: EventsSource;
  /** The offset of its clock in milliseconds. */
  ahead: number;
  /** Allows so many more database operations, and then none for ever. */
  die(operations?: number): void;
  readonly isDead: boolean;
  /** The reaction of its door to a notification. */
  receive(mac: string | null, body: Uint8Array): Promise<boolean>;
}

/** The fate of a notification. */
export type Passage = "arrive" | "lose" | "refuse" | "double" | number;

/** The options of a world. */
interface WorldOptions {
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

/** Creates a world, and runs its job for the first time. */
export async function createNotifiedWorld({
  isolates: count = 2,
  records = 1,
  budget,
  refreshSeconds = 120,
  isNotified = true,
  cronMilliseconds = 5 * MINUTE,
  standIn = {},
  passage = () => "arrive",
}: WorldOptions = {}) {
  const kv = await Deno.openKv(":memory:");
  const logged: string[] = [];
  let busy = 0;
  let isOver = false;

  const { now, sleep, settle, run } = createVirtualTime(START, () => busy > 0, QUIET_TURNS);
  // Work in slices goes on after timers of the platform, for which the clock waits.
  const { setTimeout: startTimer } = globalThis;
  globalThis.setTimeout = ((work: () => void, milliseconds = 0) => {
    if (milliseconds > 0) return startTimer(work, milliseconds);
    busy++;
    return startTimer(() => {
      busy--;
      work();
    });
  }) as typeof setTimeout;
  const later = (work: () => void, milliseconds: number) => void sleep(milliseconds).then(work);
  const living = () => isolates.filter(({ isDead }) => !isDead);
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
  const airtable = createAirtableStandIn({
    records: makeRecords(records, "first"),
    token: "patTest.secret",
    baseId: "appTest",
    table: "tblTest0000000001",
    tableId: "tblTest0000000001",
    now,
    origin: "http://store.example",
    signingSecret: "test",
    later,
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
    let left = Infinity;
    let preparing = 0;
    let hearing = 0;
    const log = (...parts: unknown[]) => void logged.push(Deno.inspect(parts, { depth: 6 }));
    const time = () => now() + self.ahead;
    async function judge(): Promise<Fate> {
      busy -= preparing;
      preparing = 0;
      if (left <= 0) {
        // Its unfinished work is lost.
        busy -= hearing;
        hearing = 0;
        await new Promise(() => {});
      }
      left--;
      busy++;
      return "work";
    }
    /** Until the next database operation, other threads may compress or encrypt. */
    function prepare(): void {
      busy++;
      preparing++;
    }
    const own = faultyKv(kv, judge, () => void busy--);
    const calls = createCallCounter({
      kv: own,
      budget,
      isNotified,
      now: time,
      log: { warn: log },
    });
    const access = {
      apiUrl: "http://store.example",
      token: "patTest.secret",
      baseId: "appTest",
      table: "tblTest0000000001",
      // The clock waits until the records of a response have been parsed, in slices.
      fetch: (...given: Parameters<typeof fetch>) => airtable.substitute(...given).finally(prepare),
      view: undefined,
      parseRecord: createRecordParser(COLUMN_NAMES, "UTC"),
      calls,
      sleep: () => Promise.resolve(),
    };
    const store = createAirtableStore(access);
    const hook = createHookKeeper({
      ...access,
      baseUrl: "https://foyer.example",
      kv: own,
      now: time,
      log: { info() {}, warn: log, error: log },
    });
    const source = createEventsSource({
      kv: own,
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
      timeZone: "UTC",
      baseUrl: "https://foyer.example",
      now: time,
      sleep,
      log: { warn: log, error: log },
    });
    const self: NotifiedIsolate = {
      source,
      ahead: 0,
      die(operations = 0) {
        left = operations;
      },
      get isDead() {
        return left <= 0;
      },
      async receive(mac: string | null, body: Uint8Array) {
        busy++;
        hearing++;
        const isAuthentic = hook.isMac(mac) && await hook.isAuthentic(mac, body);
        // It may have died meanwhile, at another of its operations.
        if (hearing > 0) {
          busy--;
          hearing--;
        }
        if (!isAuthentic) return false;
        await source.notify();
        return true;
      },
    };
    return self;
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
    calls: () => readCalls(kv, budget, now()),
    async [Symbol.asyncDispose]() {
      globalThis.setTimeout = startTimer;
      isOver = true;
      await settle();
      kv.close();
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
