/** The results of a provider's faults: the status, the origin of the refusal, and the charge. */
// Not quick: every fault of every provider.

import assert from "node:assert/strict";
import type { ProviderFault } from "../../lib/sandbox/provider.ts";
import { startRealTimer, withTimeout } from "../../lib/platform/timeout.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { collectForTurns } from "../support/held_bytes.ts";
import type { Member } from "../support/member.ts";
import { until } from "../support/until.ts";
import { ANSWER_PRICE, chargeOf, DECISION, PATHS, SEARCH, SEARCH_PRICE, STREAM } from "./proxy.ts";

/** UPSTREAM_TIMEOUT_SECONDS, which the test's limits hold. */
const SILENCE_MILLISECONDS = 120_000;

/** The result of a response: its status, the charge and its source, and whether it was cut off. */
interface End {
  readonly status: number;
  readonly cost: bigint;
  readonly from: string;
  readonly breaks?: true;
}

/** A fault, and its results for a JSON response and for a stream, if they differ. */
interface Case {
  readonly fault: ProviderFault;
  readonly json: End;
  readonly stream?: End;
}
const FREE = { cost: 0n, from: "provider" };
const HELD = { cost: ANSWER_PRICE, from: "reservation" };
const PAID = { cost: ANSWER_PRICE, from: "provider" };

/** Faults with the same results for a JSON response and for a stream. */
const alike = (json: End, ...faults: readonly ProviderFault[]): Case[] =>
  faults.map((fault) => ({ fault, json }));
const withStatus = (status: number) => ({ kind: "status", status }) as ProviderFault;
const redirecting = (status: number) => ({ kind: "redirect", status }) as ProviderFault;

const BROKEN = { status: 200, ...HELD, breaks: true } as const;
const cases: readonly Case[] = [
  // About the caller's request: passed on.
  ...[400, 404, 422, 429, 529].flatMap((status) => alike({ status, ...FREE }, withStatus(status))),
  // About the service's account, or the provider's own.
  ...alike(
    { status: 502, ...FREE },
    ...[401, 402, 403, 500, 502, 503].map(withStatus),
    ...[301, 302, 303, 307, 308].map(redirecting),
  ),
  { fault: { kind: "hang" }, json: { status: 504, ...HELD } },
  { fault: { kind: "stall" }, json: { status: 504, ...HELD }, stream: BROKEN },
  { fault: { kind: "cut" }, json: { status: 502, ...HELD }, stream: BROKEN },
  // A stream has no end whose absence could be noticed.
  {
    fault: { kind: "truncated" },
    json: { status: 502, ...HELD },
    stream: { status: 200, ...HELD },
  },
  ...alike(
    { status: 502, ...HELD },
    { kind: "reset" },
    { kind: "reset", after: "headers" },
    { kind: "garbage" },
    { kind: "html" },
    { kind: "content-type", contentType: "text/plain" },
    { kind: "content-type", contentType: "" },
  ),
  ...alike(
    { status: 200, ...PAID },
    { kind: "gzip" },
    { kind: "no-length" },
    { kind: "split" },
    { kind: "delay", ms: 1 },
    { kind: "huge", bytes: 100_000 },
    { kind: "huge", bytes: 1_000_000 },
    { kind: "huge", bytes: 1_000_000, length: false },
  ),
  { fault: { kind: "missing-cost" }, json: { status: 200, ...HELD } },
];

async function ask(foyer: Foyer, member: Member, path: string, body: unknown) {
  return await read(await foyer.post(path, member.key, body));
}

/** The received part of a response; its text is null if it was cut off. */
async function read(response: Response) {
  const text = await response.text().catch(() => null);
  return { status: response.status, headers: response.headers, text };
}

/** Calls a provider that falls silent, before its response or in the middle of it, and lets the time limit pass. */
async function askSilent(foyer: Foyer, member: Member, path: string, body: unknown) {
  const provider = path === PATHS.decision ? foyer.decision : foyer.websearch;
  const begins = provider.faults.pending.some(({ kind }) => kind === "stall");
  const asked = foyer.post(path, member.key, body);
  const isSilent = () => !begins || (provider.requests.at(-1)?.producedBytes ?? 0) > 0;
  await until(() => provider.active === 1 && isSilent());
  // The headers of a stream come with its first bytes.
  if (begins && body === STREAM) await asked;
  return await foyer.limits.lapseDuring(SILENCE_MILLISECONDS, asked.then(read));
}

/** The stand-in's errors begin with these words, or contain its name. */
const PROVIDERS_WORDS = /sandbox|stand-in|\bexa\b|typesafe|<|:\d{4}/i;

Deno.test("a fault of the provider: the status, the readable part, and the charge", async (t) => {
  await using foyer = await startFoyer();
  for (const { fault, json, stream = json } of cases) {
    const isSilent = /^(hang|stall)$/.test(fault.kind);
    const ends = [[SEARCH, json], [STREAM, stream]] as const;
    for (const [body, { status, cost, from, breaks = false }] of ends) {
      const name = `${JSON.stringify(fault)} on ${body === STREAM ? "a stream" : "JSON"}`;
      await t.step(name, async () => {
        const member = await foyer.createMember(10n ** 18n);
        foyer.websearch.faults.push(fault);
        const count = foyer.websearch.requests.length;
        const answer = await (isSilent ? askSilent : ask)(foyer, member, PATHS.answer, body);
        assert.equal(answer.status, status);
        assert.deepEqual(await chargeOf(foyer, member), { status, cost, from });
        assert.equal(answer.text === null, breaks);
        // Never retried, never followed.
        assert.equal(foyer.websearch.requests.length, count + 1);
        assert.equal(answer.headers.get("x-refused-by"), status === 200 ? null : "upstream");
        assert.match(answer.headers.get("ratelimit") ?? "", /r=749/);
        if (status < 500) return;
        const { error, ...rest } = JSON.parse(answer.text ?? "");
        if (status === 529) return;
        assert.equal(error.type, status === 504 ? "upstream_timeout" : "upstream_error");
        assert.equal(rest.requestId, answer.headers.get("x-request-id"));
        assert.doesNotMatch(answer.text ?? "", PROVIDERS_WORDS);
      });
    }
  }
});

Deno.test("a silent stream breaks after its time limit, under garbage collection too", async () => {
  // A real timer: one that the test held would be safe from the collector.
  const env = { UPSTREAM_TIMEOUT_SECONDS: "2" };
  await using foyer = await startFoyer({ env, startLimit: startRealTimer });
  const member = await foyer.createMember();
  foyer.websearch.faults.push({ kind: "stall" });
  const leaving = new AbortController();
  const { signal } = leaving;
  const answer = await foyer.post(PATHS.answer, member.key, STREAM, { signal });
  await collectForTurns();
  const late = () => {
    leaving.abort();
    throw new Error("is still open");
  };
  await assert.rejects(withTimeout(60_000, answer.text(), late), TypeError);
  const held = { status: 200, cost: ANSWER_PRICE, from: "reservation" };
  assert.deepEqual(await chargeOf(foyer, member), held);
});

Deno.test("a response that falls silent is 504 after its time limit, under garbage collection too", async () => {
  using provider = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { promise: isSilent, resolve: fallSilent } = Promise.withResolvers<void>();
  const connected = provider.accept().then(async (connection) => {
    await connection.read(new Uint8Array(4_096));
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    await connection.write(new TextEncoder().encode(head));
    fallSilent();
    return connection;
  });
  const url = `http://127.0.0.1:${provider.addr.port}`;
  const env = { WEBSEARCH_API_URL: url, UPSTREAM_TIMEOUT_SECONDS: "2" };
  await using foyer = await startFoyer({ env, startLimit: startRealTimer });
  const member = await foyer.createMember();
  const asked = foyer.post(PATHS.search, member.key, SEARCH);
  await isSilent;
  await collectForTurns();
  const late = () => {
    throw new Error("is still waiting");
  };
  const answer = await withTimeout(60_000, asked, late);
  assert.equal(answer.status, 504);
  (await connected).close();
  const held = { status: 504, cost: SEARCH_PRICE, from: "reservation" };
  assert.deepEqual(await chargeOf(foyer, member), held);
});

Deno.test("an unreachable provider costs nothing: 502", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  for (const url of [`http://127.0.0.1:${port}`, "http://foyer.invalid"]) {
    await using foyer = await startFoyer({
      env: { WEBSEARCH_API_URL: url, UPSTREAM_TIMEOUT_SECONDS: "20" },
    });
    // Not earlier: one of Foyer's own stand-ins might get the port.
    if (url.endsWith(`:${port}`)) taken.close();
    const member = await foyer.createMember();
    const answer = await ask(foyer, member, PATHS.search, SEARCH);
    assert.equal(answer.status, 502);
    assert.equal(answer.headers.get("x-refused-by"), "upstream");
    assert.doesNotMatch(answer.text ?? "", /127\.0\.0\.1|invalid|os error/);
    assert.deepEqual(await chargeOf(foyer, member), { status: 502, cost: 0n, from: "provider" });
  }
});

Deno.test("without the provider's key nothing is counted: 500 names the variable for the operator", async () => {
  await using foyer = await startFoyer({ env: { WEBSEARCH_API_KEY: undefined } });
  const member = await foyer.createMember();
  const answer = await ask(foyer, member, PATHS.search, SEARCH);
  assert.equal(answer.status, 500);
  assert.equal(JSON.parse(answer.text ?? "").error.type, "server_misconfigured");
  assert.match(answer.text ?? "", /WEBSEARCH_API_KEY/);
  assert.match(answer.headers.get("ratelimit") ?? "", /r=750/);
});

Deno.test("decisions: a wrong answer is charged by its tokens if it says them, else its reservation", async () => {
  await using foyer = await startFoyer();
  const table: readonly (readonly [ProviderFault, status: number, cost: bigint | null])[] = [
    [{ kind: "cost", text: "1000000" }, 200, 42_000_000n],
    [{ kind: "cost", text: "1" }, 200, 42n],
    [{ kind: "cost", text: "0" }, 200, 0n],
    [{ kind: "cost", text: "1.5" }, 200, null],
    [{ kind: "cost", text: "-1" }, 200, null],
    [{ kind: "missing-cost" }, 200, null],
    [{ kind: "garbage" }, 502, null],
    [{ kind: "truncated" }, 502, null],
    [{ kind: "cut" }, 502, null],
    [{ kind: "stall" }, 504, null],
    [{ kind: "hang" }, 504, null],
    [{ kind: "endless" }, 502, null],
    [withStatus(529), 529, 0n],
    [withStatus(403), 502, 0n],
  ];
  for (const [fault, status, cost] of table) {
    const isSilent = /^(hang|stall)$/.test(fault.kind);
    const member = await foyer.createMember();
    foyer.decision.faults.push(fault);
    const answer = await (isSilent ? askSilent : ask)(foyer, member, PATHS.decision, DECISION);
    assert.equal(answer.status, status, JSON.stringify(fault));
    const charge = await chargeOf(foyer, member);
    assert.equal(charge.from, cost === null ? "reservation" : "provider", JSON.stringify(fault));
    if (cost !== null) assert.equal(charge.cost, cost);
    await until(() => foyer.decision.active === 0);
  }
});
