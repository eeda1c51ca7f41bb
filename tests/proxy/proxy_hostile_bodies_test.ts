/** Bodies that are announced and held back, bodies that come too late, and bodies from an account over its limits. */
// Not quick: it opens a thousand connections.

import assert from "node:assert/strict";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import type { Member } from "../support/member.ts";
import { holdPauses } from "../support/held_pauses.ts";
import { until } from "../support/until.ts";
import {
  announced,
  ask,
  beginPost,
  booksOf,
  chunk,
  CHUNKED,
  createGate,
  getUsage,
  hasAnswer,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
} from "./proxy.ts";

const MEBIBYTE = 1024 * 1024;
/** The deadline of a body. */
const BODY_MILLISECONDS = 60_000;

/** Begins a search: sends its head, and so much of its body. */
const begin = (foyer: Foyer, { key }: Member, framing: string, ...parts: string[]) =>
  beginPost(foyer, PATHS.search, key, [framing], ...parts);

async function search(foyer: Foyer, { key }: Member): Promise<number> {
  return (await ask(foyer, key)).status;
}

async function usage(foyer: Foyer, { key }: Member): Promise<number> {
  return (await getUsage(foyer, key, "?days=90")).status;
}

Deno.test("one account with 1,000 hostile connections takes no search from another", async () => {
  const pauses = holdPauses();
  await using foyer = await startFoyer({ sleep: pauses.sleep });
  const [hostile, other] = [await foyer.createMember(), await foyer.createMember()];
  await search(foyer, hostile);
  const held = new Uint8Array(MEBIBYTE - 2).fill(0x20);
  await using connections = new AsyncDisposableStack();
  const answers: Promise<string>[] = [];
  const got: number[] = [];
  let count = 0;
  const open = async () => {
    while (count < 1_000) {
      const isHeldBack = count++ % 5 === 0;
      const connection = connections.use(
        await begin(foyer, hostile, announced(MEBIBYTE), isHeldBack ? "" : '{"query":'),
      );
      answers.push(connection.read(hasAnswer));
      // The server stops reading a body for which it has no room.
      if (isHeldBack) void connection.send(held).catch(() => {});
    }
  };
  const opening = Promise.all(Array.from({ length: 20 }, open));
  while (answers.length < 1_000) got.push(await search(foyer, other));
  await opening;
  for (let more = 0; more < 20; more++) got.push(await search(foyer, other));
  assert.deepEqual([...new Set(got)], [200]);
  assert.equal(await usage(foyer, other), 200);
  const texts = await pauses.passDuring(
    foyer.limits.lapseDuring(BODY_MILLISECONDS, Promise.all(answers)),
  );
  const statuses = texts.map((text) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]));
  assert.deepEqual([...new Set(statuses)].toSorted(), [408, 503]);
  const busy = texts.find((_, at) => statuses[at] === 503) ?? "";
  assert.match(busy, /^retry-after: 1\r$/mi);
  const { counted } = await booksOf(foyer, hostile);
  assert.equal(counted, 1, "nothing of it was counted");
  const { refusals } = foyer.services;
  await refusals.flush();
  const noted = await refusals.list(hostile.accountId);
  assert.ok(noted.some(({ code, reason }) => code === "service_unavailable" && reason === "busy"));
  assert.equal(await search(foyer, hostile), 200);
});

Deno.test("bodies that are too large together are 503: an account has half of the room, beside others too, and what ends makes room again", async () => {
  const largest = 64 * MEBIBYTE;
  const pauses: number[] = [];
  const sleep = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
  await using foyer = await startFoyer({ env: { MAX_BODY_BYTES: String(largest) }, sleep });
  const [first, second, third] = [
    await foyer.createMember(),
    await foyer.createMember(),
    await foyer.createMember(),
  ];
  const spaces = (mebibytes: number) => new Uint8Array(mebibytes * MEBIBYTE).fill(0x20);
  const hold = async (member: Member, mebibytes: number) => {
    const connection = await begin(foyer, member, announced(largest));
    await connection.send(spaces(mebibytes));
    return connection;
  };
  const refusal = async (member: Member) => {
    using connection = await begin(foyer, member, announced(largest));
    // The server stops reading a body for which it has no room.
    void connection.send(spaces(8)).catch(() => {});
    let answer = "";
    void connection.read(hasAnswer).then((text) => answer = text);
    await until(() => answer !== "");
    return answer;
  };
  const busy = /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*Nothing was forwarded or charged/s;
  using held = await hold(first, 60);
  assert.match(await refusal(first), busy);
  using _beside = await hold(second, 60);
  assert.match(await refusal(second), busy);
  assert.equal(await search(foyer, third), 200);
  held.close();
  const large = JSON.stringify(SEARCH).padEnd(8 * MEBIBYTE);
  await until(async () => (await ask(foyer, first.key, large)).status === 200);
  assert.equal((await booksOf(foyer, first)).counted, 1);
  assert.equal((await booksOf(foyer, second)).counted, 0);
});

Deno.test("a body that is not there after a minute is 408: nothing is counted, and no more is taken", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const table = [
    [announced(100), '{"que'],
    [announced(MEBIBYTE), '{"que'],
    [announced(MEBIBYTE), " ".repeat(500_000)],
    [CHUNKED, chunk('{"que')],
  ] as const;
  for (const [framing, sent] of table) {
    using connection = await begin(foyer, member, framing, sent);
    const answer = connection.read(hasAnswer);
    await foyer.limits.expire(BODY_MILLISECONDS);
    const refused =
      /^HTTP\/1\.1 408 .*connection: close\r\n.*longer than 60 seconds.*"request_timeout"/s;
    assert.match(await answer, refused, framing);
  }
  assert.equal((await booksOf(foyer, member)).counted, 0);
  assert.equal(foyer.websearch.requests.length, 0);
});

Deno.test("a body that comes in parts before its deadline is taken", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const text = JSON.stringify(SEARCH).padEnd(20_000);
  for (const framing of [announced(text.length), CHUNKED]) {
    using connection = await begin(foyer, member, framing);
    for (let sent = 0; sent < text.length; sent += 4_000) {
      const part = text.slice(sent, sent + 4_000);
      await connection.send(framing === CHUNKED ? chunk(part) : part);
      // Bytes sent before another request have nearly always arrived after it.
      assert.equal(await search(foyer, member), 200);
    }
    if (framing === CHUNKED) await connection.send(chunk(""));
    assert.match(await connection.read(hasAnswer), /^HTTP\/1\.1 200 /);
    assert.equal(foyer.limits.count(BODY_MILLISECONDS), 0);
  }
});

Deno.test("an account above its rate or limit is refused before its body is read", async () => {
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "1" } });
  const [busy, poor] = [await foyer.createMember(), await foyer.createMember(0n)];
  await search(foyer, busy);
  const bodies = [
    [announced(MEBIBYTE), ""],
    [announced(MEBIBYTE), '{"que'],
    [CHUNKED, ""],
  ] as const;
  for (const [member, status] of [[busy, 429], [poor, 402]] as const) {
    for (const [framing, sent] of bodies) {
      using connection = await begin(foyer, member, framing, sent);
      const text = await connection.read(hasAnswer);
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} .*\r\nratelimit: `, "s"), framing);
    }
    // A small body is checked first.
    assert.equal((await ask(foyer, member.key, "{")).status, 400);
    assert.equal(await search(foyer, member), status);
  }
  const { spent } = await booksOf(foyer, busy);
  assert.equal(spent, SEARCH_PRICE);
  assert.equal(foyer.websearch.requests.length, 1);
});

Deno.test("a request for usage or models takes a place like any other", async () => {
  using reading = createGate();
  let isHeld = false;
  let held = 0;
  const pauses: number[] = [];
  const judge = async ({ kind }: { kind: string }) => {
    if (isHeld && kind === "read") {
      held++;
      await reading.opened;
    }
    return "work" as const;
  };
  const sleep = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
  await using foyer = await startFoyer({ judge, sleep });
  const [curious, other] = [await foyer.createMember(), await foyer.createMember()];
  assert.deepEqual([await usage(foyer, curious), await usage(foyer, other)], [200, 200]);
  isHeld = true;
  const asked = Array.from({ length: 1_100 }, () => usage(foyer, curious));
  // The first twenty refusals of a second are not slowed.
  await until(() => held > 0 && pauses.length >= 80);
  isHeld = false;
  assert.equal(await usage(foyer, other), 200);
  reading.open();
  const statuses = await Promise.all(asked);
  assert.equal(statuses.filter((status) => status === 503).length, 100);
  assert.ok(pauses.every((pause) => pause >= 1_000));
  assert.equal(await usage(foyer, curious), 200);
});
