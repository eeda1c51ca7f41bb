/**
 * The promise of five minutes (events contract, section 1), under a clock that the test moves: no
 * interleaving of requests, cron ticks, failing and slow reads and several isolates breaks it.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { answerFromCatalog, JSON_TYPES } from "../../lib/events/answer.ts";
import { COLUMN_NAMES } from "../../lib/events/columns.ts";
import { createRecordParser, type StoreRecord } from "../../lib/events/record.ts";
import { createEventsSource, type EventsSource } from "../../lib/events/source.ts";
import { type RecordStore, StoreError } from "../../lib/events/store.ts";
import { PublicError } from "../../lib/http/errors.ts";
import { createVirtualTime, type VirtualTime } from "../support/virtual_time.ts";

const START = Date.parse("2026-11-21T12:00:00Z");
const MAX_LAG = 300_000;

/** A store whose one record says when it was read. */
class ClockStore implements RecordStore {
  reads = 0;
  running = 0;
  mostAtOnce = 0;
  failure: StoreError | null = null;
  /** Reads end when this does. */
  gate: Promise<void> = Promise.resolve();

  constructor(private readonly time: VirtualTime) {}

  async read(): Promise<StoreRecord[]> {
    this.reads++;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.running);
    const seen = this.time.now();
    try {
      await this.gate;
      if (this.failure !== null) throw this.failure;
      return [{
        id: "recClock",
        createdTime: "2026-01-01T00:00:00.000Z",
        fields: { "Name": `seen ${seen}`, "Start Date": "2026-01-01" },
      }];
    } finally {
      this.running--;
    }
  }
}

interface World extends AsyncDisposable {
  readonly kv: Deno.Kv;
  readonly time: VirtualTime;
  readonly store: ClockStore;
  readonly logged: string[];
  isolate(): EventsSource;
}

async function createWorld(): Promise<World> {
  const time = createVirtualTime(START);
  const kv = await Deno.openKv(":memory:");
  const store = new ClockStore(time);
  const logged: string[] = [];
  const log = (...parts: unknown[]) => void logged.push(Deno.inspect(parts));
  return {
    kv,
    time,
    store,
    logged,
    isolate: () =>
      createEventsSource({
        kv,
        store,
        parseRecord: createRecordParser(COLUMN_NAMES, "UTC"),
        refreshSeconds: 120,
        timeZone: "UTC",
        baseUrl: "https://foyer.example",
        now: time.now,
        sleep: time.sleep,
        log: { info: log, warn: log, error: log },
      }),
    async [Symbol.asyncDispose]() {
      // Whoever still waits gives up, so that nothing uses the database after it is closed.
      await time.advance(100_000);
      await time.advance(100_000);
      kv.close();
    },
  };
}

/** Asks as a client does; checks what it is given against the promise. */
async function ask(world: World, source: EventsSource): Promise<number | PublicError> {
  try {
    const response = await answerFromCatalog({
      request: new Request("https://foyer.example/api/v1/events"),
      requestId: "test",
      source,
      now: world.time.now,
      types: JSON_TYPES,
    }, (catalog, at) => catalog.list("", at));
    const answeredAt = world.time.now();
    const { data: [event], meta } = await response.json();
    const seen = Number(/seen (\d+)/.exec(event.name)?.[1]);
    const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get("cache-control") ?? "")?.[1]);
    const oldest = answeredAt + maxAge * 1_000 - Math.min(seen, answeredAt);
    assert.ok(oldest <= MAX_LAG, `a client may see data of ${oldest} ms`);
    assert.ok(Date.parse(meta.generatedAt) <= seen, "generatedAt is no promise too much");
    return seen;
  } catch (error) {
    if (error instanceof PublicError) return error;
    throw error;
  }
}

Deno.test("a snapshot is served for five minutes, read anew in the background from the second on", async () => {
  await using world = await createWorld();
  const source = world.isolate();
  assert.equal(await ask(world, source), START);
  await world.time.advance(119_000);
  assert.equal(await ask(world, source), START);
  assert.equal(world.store.reads, 1);
  await world.time.advance(2_000);
  assert.equal(await ask(world, source), START, "the one who finds it old does not wait");
  await world.time.settle();
  assert.equal(await ask(world, source), START + 121_000);
  assert.equal(world.store.reads, 2);
});

Deno.test("a second isolate serves what the first has read, also after a cold start", async () => {
  await using world = await createWorld();
  assert.equal(await ask(world, world.isolate()), START);
  await world.time.advance(60_000);
  assert.equal(await ask(world, world.isolate()), START);
  assert.equal(world.store.reads, 1);
});

Deno.test("many isolates that find a snapshot too old read the store once", async () => {
  await using world = await createWorld();
  const isolates = [world.isolate(), world.isolate(), world.isolate()];
  for (const isolate of isolates) await ask(world, isolate);
  await world.time.advance(301_000);
  const asked = isolates.flatMap((isolate) => [ask(world, isolate), ask(world, isolate)]);
  for (let turn = 0; turn < 8; turn++) await world.time.advance(250);
  for (const answer of await Promise.all(asked)) assert.ok(Number(answer) >= START + 301_000);
  assert.equal(world.store.reads, 2);
});

Deno.test("while the store is down the old snapshot is served for five minutes, then 502", async () => {
  await using world = await createWorld();
  const source = world.isolate();
  await ask(world, source);
  world.store.failure = new StoreError("unavailable", "down");
  for (let minute = 1; minute < 5; minute++) {
    await world.time.advance(60_000);
    assert.equal(await ask(world, source), START);
    await world.time.settle();
  }
  await world.time.advance(59_999);
  assert.equal(await ask(world, source), START);
  await world.time.advance(1);
  const refused = await ask(world, source);
  assert.ok(refused instanceof PublicError);
  assert.equal(refused.code, "upstream_error");
  assert.match(refused.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  world.store.failure = null;
  await world.time.advance(Number(refused.headers["retry-after"]) * 1_000);
  assert.equal(typeof await ask(world, source), "number", "the first good read ends it");
});

Deno.test("after a refusal the store is left alone for as long as it asks, by every isolate", async () => {
  await using world = await createWorld();
  const isolates = [world.isolate(), world.isolate()];
  world.store.failure = new StoreError("rate_limited", "429", 30);
  for (let second = 0; second < 30; second += 3) {
    for (const isolate of isolates) assert.ok(await ask(world, isolate) instanceof PublicError);
    await world.time.advance(3_000);
  }
  assert.equal(world.store.reads, 1);
  world.store.failure = null;
  assert.equal(typeof await ask(world, isolates[1] as EventsSource), "number");
});

Deno.test("a failure is logged once, however many ask", async () => {
  await using world = await createWorld();
  const source = world.isolate();
  world.store.failure = new StoreError("unavailable", "down");
  for (let asked = 0; asked < 10; asked++) await ask(world, source);
  assert.equal(world.logged.length, 1);
});

Deno.test("a reader that dies holds the others up for no longer than its lease", async () => {
  await using world = await createWorld();
  const [dying, living] = [world.isolate(), world.isolate()];
  const gate = Promise.withResolvers<void>();
  world.store.gate = gate.promise;
  const lost = ask(world, dying);
  await world.time.settle();
  world.store.gate = Promise.resolve();
  await world.time.advance(76_000);
  assert.equal(await ask(world, living), START + 76_000);
  // The dead one comes back from a long pause: it must not put its old read over the newer one.
  gate.resolve();
  await world.time.settle();
  await lost;
  assert.equal(await ask(world, world.isolate()), START + 76_000);
});

Deno.test("an isolate whose clock is a little behind serves what another has read, for no longer", async () => {
  await using world = await createWorld();
  await ask(world, world.isolate());
  await world.time.advance(-2_000);
  assert.equal(await ask(world, world.isolate()), START);
  assert.equal(world.store.reads, 1);
});

Deno.test("a stored snapshot that cannot be read is reported and replaced from the store", async () => {
  await using world = await createWorld();
  await ask(world, world.isolate());
  for await (const { key } of world.kv.list({ prefix: ["blob", "events", "chunks"] })) {
    await world.kv.set(key, new Uint8Array([1, 2, 3]));
  }
  await world.time.advance(1_000);
  assert.equal(await ask(world, world.isolate()), START + 1_000);
  assert.match(world.logged.join(), /stored snapshot cannot be read/);
  for await (const { key } of world.kv.list({ prefix: ["blob", "events", "chunks"] })) {
    await world.kv.delete(key);
  }
  await world.time.advance(1_000);
  assert.equal(await ask(world, world.isolate()), START + 2_000);
});

Deno.test("a clock that goes back makes data no younger", async () => {
  await using world = await createWorld();
  const source = world.isolate();
  await ask(world, source);
  await world.time.advance(-600_000);
  assert.equal(await ask(world, source), START - 600_000);
});

Deno.test("no interleaving gives a client data older than five minutes, its cache included", async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("ask"), isolate: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("cron"), isolate: fc.nat(2) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("advance"),
        seconds: fc.constantFrom(1, 7, 30, 61, 119, 120, 121, 179, 299, 300, 301),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("fault"),
        fault: fc.constantFrom("none", "none", "unavailable", "rate_limited", "slow"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart"), isolate: fc.nat(2) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await using world = await createWorld();
      const { time, store } = world;
      const isolates = [world.isolate(), world.isolate(), world.isolate()];
      const source = (at: number) => isolates[at] as EventsSource;
      const pending: Promise<unknown>[] = [];
      let open = () => {};
      for (const step of steps) {
        if ("seconds" in step) await time.advance(step.seconds * 1_000);
        else if ("fault" in step) {
          open();
          store.failure = step.fault === "unavailable" || step.fault === "rate_limited"
            ? new StoreError(step.fault, step.fault)
            : null;
          store.gate = step.fault === "slow"
            ? new Promise((resolve) => open = resolve)
            : Promise.resolve();
        } else if (step.kind === "ask") pending.push(ask(world, source(step.isolate)));
        else if (step.kind === "cron") pending.push(source(step.isolate).refresh());
        else isolates[step.isolate] = world.isolate();
        await time.settle();
      }
      open();
      store.gate = Promise.resolve();
      for (let turn = 0; turn < 4; turn++) await time.advance(30_000);
      await Promise.all(pending);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
