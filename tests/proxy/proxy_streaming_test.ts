/** Streams through the proxy: passed on at once, metered however they are split, ended with their caller. */
// Not quick: streams that stall and end late.

import assert from "node:assert/strict";
import { startFoyer } from "../support/foyer.ts";
import { heldBytes } from "../support/held_bytes.ts";
import { until } from "../support/until.ts";
import {
  ANSWER_PRICE,
  askRaw,
  chargeOf,
  chunk,
  CHUNKED,
  createGate,
  PATHS,
  postRaw,
  type RawConnection,
  reply,
  SEARCH,
  SEARCH_PRICE,
  startRawProvider,
  STREAM,
  untilBooked,
} from "./proxy.ts";

const HELD = { status: 200, cost: ANSWER_PRICE, from: "reservation" };
/** An event that states 0.0012 USD. */
const SAID = 'data: {"costDollars":{"total":0.0012}}\n\n';
const SSE = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

Deno.test("an event is passed on while the provider still holds the rest", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  using rest = createGate();
  foyer.websearch.faults.push({ kind: "stall", until: rest.opened });
  const response = await foyer.post(PATHS.answer, member.key, STREAM);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream\b/);
  const reader = response.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  assert.match(first, /^data: \{.*"delta"/);
  assert.equal(foyer.websearch.active, 1);
  // Meanwhile its price is set aside.
  assert.equal(
    (await foyer.services.ledger.status(member.accountId, 1)).days[0]?.sums.reserved,
    ANSWER_PRICE,
  );
  rest.open();
  while (!(await reader.read()).done);
  assert.deepEqual(await chargeOf(foyer, member), { ...HELD, from: "provider" });
});

Deno.test("a stream that is cut breaks for the caller too, and is charged its stated cost", async () => {
  const table = [
    [SAID, 1_200_000n, "provider"],
    [`${SAID}data: {"costDollars":{"total":0.002}}\n\nd`, 2_000_000n, "provider"],
    ['data: {"costDollars":{"total":0.00', ANSWER_PRICE, "reservation"],
    ["data: {}\n\n", ANSWER_PRICE, "reservation"],
  ] as const;
  for (const [text, cost, from] of table) {
    // The last chunk, of length 0, never comes.
    const answer = reply(200, "text/event-stream", chunk(text), CHUNKED);
    const { response, text: got, charge } = await askRaw(answer, {
      path: PATHS.answer,
      body: STREAM,
    });
    assert.deepEqual([response.status, got], [200, null]);
    assert.deepEqual(charge, { status: 200, cost, from }, text);
  }
});

Deno.test("truncated JSON is reported by a status, and is charged its reservation", async () => {
  const cost = '{"costDollars":{"total":0.0012},"results":[';
  const table = [
    [cost, CHUNKED],
    [cost, "Connection: close"],
    [cost, "Content-Length: 100"],
    ['{"costDollars":{"total":0.00', "Content-Length: 100"],
    ["", "Content-Length: 100"],
    ["", "Content-Length: 0"],
    ["{} {}", "Content-Length: 5"],
    ["[1]", "Content-Length: 3"],
    ['{"costDollars":{"total":0.0012},"score":NaN}', "Connection: close"],
  ] as const;
  for (const [text, framing] of table) {
    const body = framing === CHUNKED ? chunk(text) : text;
    const answer = reply(200, "application/json", body, framing);
    const { response, charge, asked } = await askRaw(answer);
    assert.deepEqual([response.status, asked], [502, 1], text + framing);
    const held = { status: 502, cost: SEARCH_PRICE, from: "reservation" };
    assert.deepEqual(charge, held, text + framing);
  }
});

Deno.test("a caller who disconnects before the response ends the provider's request; the reservation is charged", async () => {
  await using foyer = await startFoyer();
  for (const body of [STREAM, SEARCH]) {
    const member = await foyer.createMember();
    foyer.websearch.faults.push({ kind: "hang" });
    const abort = new AbortController();
    const asked = foyer.post(PATHS.answer, member.key, body, { signal: abort.signal });
    await until(() => foyer.websearch.active === 1);
    abort.abort();
    await assert.rejects(asked);
    assert.equal(await foyer.websearch.requests.at(-1)?.ended, "aborted");
    await untilBooked(foyer, member);
    assert.deepEqual(await chargeOf(foyer, member), { ...HELD, status: 499 });
  }
});

Deno.test("a caller who disconnects in the middle ends the provider's request; the stated cost is charged", async () => {
  const table = [
    [SAID, 1_200_000n, "provider"],
    ["data: {}\n\n", ANSWER_PRICE, "reservation"],
  ] as const;
  for (const [text, cost, from] of table) {
    const gone = Promise.withResolvers<void>();
    await using provider = startRawProvider(async (connection) => {
      await connection.send(SSE, text);
      await connection.read();
      gone.resolve();
    });
    await using foyer = await startFoyer({ env: { WEBSEARCH_API_URL: provider.origin } });
    const member = await foyer.createMember();
    const response = await foyer.post(PATHS.answer, member.key, STREAM);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await gone.promise;
    await untilBooked(foyer, member);
    assert.deepEqual(await chargeOf(foyer, member), { status: 200, cost, from });
  }
});

Deno.test("the proxy fetches no faster than the caller reads: an endless response stays small until it is ended", async () => {
  await using foyer = await startFoyer();
  for (const [index, body] of [STREAM, SEARCH].entries()) {
    const member = await foyer.createMember();
    foyer.websearch.faults.push({ kind: "endless" });
    using connection = await postRaw(foyer, PATHS.answer, member.key, body);
    await connection.read((text) => text.includes("\r\n\r\n"));
    const request = foyer.websearch.requests[index];
    const start = heldBytes();
    let [produced, stillTurns] = [0, 0];
    // The sockets fill up, as far as the system lets them grow; then no more bytes move.
    await until(() => {
      const bytes = request?.producedBytes ?? 0;
      stillTurns = bytes > 0 && bytes === produced ? stillTurns + 1 : 0;
      produced = bytes;
      return stillTurns === 200;
    });
    const held = heldBytes() - start;
    assert.ok(held < 20_000_000, `${held} bytes are held for a caller who reads nothing`);
    connection.close();
    assert.equal(await request?.ended, "aborted");
    await untilBooked(foyer, member);
    assert.deepEqual(await chargeOf(foyer, member), HELD);
  }
});

Deno.test("an answer of 30 MB passes in bounded memory, with its length, and is charged its reservation", async () => {
  await using foyer = await startFoyer();
  const size = 30_000_000;
  for (const [isAnnounced, body] of [[true, SEARCH], [false, SEARCH], [false, STREAM]] as const) {
    const member = await foyer.createMember();
    foyer.websearch.faults.push({ kind: "huge", bytes: size, length: isAnnounced });
    const response = await foyer.post(PATHS.answer, member.key, body);
    assert.equal(response.headers.get("content-length"), isAnnounced ? String(size) : null);
    let read = 0;
    let start = 0;
    let sampledAt = 0;
    for await (const { length } of response.body!) {
      read += length;
      if (read < sampledAt + size / 10) continue;
      sampledAt = read;
      // Caller, service and provider share this isolate, so this is the memory of all three.
      const held = heldBytes();
      start ||= held;
      assert.ok(held - start < 20_000_000, `${(held - start) / 1e6} MB more`);
    }
    assert.equal(read, size);
    await untilBooked(foyer, member);
    assert.deepEqual(await chargeOf(foyer, member), HELD);
  }
});

Deno.test("a stream that drips is cut off and charged after an hour, and its reservation lasts no longer", async () => {
  await using foyer = await startFoyer();
  const { kv, clock } = foyer;
  const member = await foyer.createMember();
  foyer.websearch.faults.push({ kind: "endless" });
  const response = await foyer.post(PATHS.answer, member.key, STREAM);
  const reader = response.body!.getReader();
  const startedAt = clock.now;
  const deadline = async () => {
    await foyer.services.ledger.flush();
    const [entry] = await Array.fromAsync(
      kv.list<{ deadline: number }>({ prefix: ["reservation"] }),
    );
    return (entry?.value.deadline ?? NaN) - startedAt;
  };
  const minutes: number[] = [];
  for (const minute of [0, 20, 58]) {
    clock.now = startedAt + minute * 60_000;
    // What was on its way before the clock moved is read first.
    for (let read = 0; read < 30; read++) await reader.read();
    minutes.push(await deadline() / 60_000);
  }
  assert.deepEqual(minutes, [4, 24, 60]);
  clock.now = startedAt + 3_600_001;
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  await untilBooked(foyer, member);
  assert.deepEqual(await chargeOf(foyer, member), HELD);
  await until(() => foyer.websearch.active === 0);
});

Deno.test("a caller who takes nothing for two minutes holds nothing any more", async () => {
  const piece = new Uint8Array(64 * 1024).fill(0x0a);
  let isOver = false;
  await using provider = startRawProvider(async (connection) => {
    await connection.send(SSE, "data: {}\n\n");
    try {
      for (;;) await connection.send(piece);
    } catch {
      isOver = true;
    }
  });
  // With this, the only limit of two minutes is the caller's.
  const env = { WEBSEARCH_API_URL: provider.origin, UPSTREAM_TIMEOUT_SECONDS: "60" };
  await using foyer = await startFoyer({ env });
  const member = await foyer.createMember();
  using caller = await postRaw(foyer, PATHS.answer, member.key, STREAM);
  await foyer.limits.expire(120_000);
  await until(() => isOver);
  assert.deepEqual(await chargeOf(foyer, member), HELD);
  let heard = "";
  void caller.read().then((text) => heard = text);
  await until(() => heard !== "");
  assert.ok(!heard.endsWith("\r\n0\r\n\r\n"), "broken off, and not as if it had ended");
});

Deno.test("an account that reads none of its large answers holds 64; others of it wait until these are dropped, or their callers leave", async () => {
  // With this, the only limit of two minutes is the caller's.
  await using foyer = await startFoyer({ env: { UPSTREAM_TIMEOUT_SECONDS: "600" } });
  const [idle, other] = [await foyer.createMember(), await foyer.createMember()];
  foyer.websearch.faults.push({ kind: "endless", sticky: true });
  using connections = new DisposableStack();
  const waiting = new Set<RawConnection>();
  for (let count = 0; count < 70; count++) {
    const connection = connections.use(await postRaw(foyer, PATHS.answer, idle.key, SEARCH));
    waiting.add(connection);
    void connection.read((text) => text.includes("\r\n\r\n")).then((text) => {
      if (/^HTTP\/1\.1 200 /.test(text)) waiting.delete(connection);
    });
  }
  await until(() => foyer.websearch.active === 70 && waiting.size === 6);
  const [leaver] = waiting;
  leaver?.close();
  await untilBooked(foyer, idle);
  await until(() => foyer.websearch.active === 69);
  foyer.websearch.faults.clear();
  foyer.websearch.faults.push({ kind: "huge", bytes: 1_000_000 });
  for (const size of [1_000_000, 300]) {
    const response = await foyer.post(PATHS.answer, other.key, SEARCH);
    assert.ok((await response.text()).length >= size);
  }
  assert.equal(waiting.size, 6);
  await foyer.limits.lapseDuring(120_000, until(() => waiting.size === 1));
});
