/**
 * Every route under hostile requests: no fault, no secret, and each refusal in the format of its half of the service.
 * `FOYER_FUZZ_REQUESTS` says how many (100000 for the long run, which looks at the memory as well), and
 * `FOYER_FUZZ_SEED` which.
 */

import assert from "node:assert/strict";
import { ERROR_CODES } from "../lib/platform/http/errors.ts";
import { booksOf, connect, parseAnswer, type RawAnswer } from "./proxy/proxy.ts";
import { type Foyer, PROVIDER_KEYS, row, startFoyer } from "./support/foyer.ts";
import { heldBytes } from "./support/held_bytes.ts";
import { type HostileRequest, hostileRequest, listDoors } from "./support/hostile_request.ts";

const COUNT = Number(Deno.env.get("FOYER_FUZZ_REQUESTS") || 500);
const SEED = Deno.env.get("FOYER_FUZZ_SEED") || "foyer";
const CONNECTIONS = 8;
/** With fewer requests, the noise of the garbage collector is larger than any leak. */
const LONG_RUN = 50_000;
const MAX_GROWTH_BYTES = 32 * 1024 * 1024;

const HOSTILE = `</script><script>alert(1)</script>"'\`]]>&amp;\u202e\r\nX: y`;
const ENV = { RATE_LIMIT_REQUESTS: "1000000", DAILY_LIMIT_USD: "1000000", MAX_BODY_BYTES: "4096" };

async function ask(foyer: Foyer, bytes: Uint8Array): Promise<RawAnswer> {
  using connection = await connect(foyer.origin);
  await connection.send(bytes);
  return parseAnswer(await connection.read());
}

/** Fails unless this request may have this response. */
function check({ method, target }: HostileRequest, { status, headers, body }: RawAnswer): void {
  for (const key of Object.values(PROVIDER_KEYS)) assert.ok(!body.includes(key), "a key of ours");
  // The server itself refuses requests that are not HTTP.
  if (status === 400 && body === "" && !headers.has("x-request-id")) return;
  assert.ok(status >= 200 && status < 600, "an answer");
  assert.ok(headers.has("x-request-id"), "a request id");
  assert.ok(!headers.has("x-split"), "no header of the caller's making");
  const isUpstreams = headers.get("x-refused-by") === "upstream";
  // Some targets are impossible in a URL: `/\` is read as a missing host.
  const path = URL.parse(target, "http://foyer.example")?.pathname.replace(/\/\/+/g, "/");
  // A busy machine may find a dependency down, and no process here draws cards: these responses are allowed too.
  if (/^\/(up|events\/[^/]+\/card)$/.test(path ?? "") && status === 503) return;
  if (status >= 500) assert.ok(isUpstreams, "no fault");
  if (status === 405) assert.ok(headers.has("allow"), "Allow");
  if (status === 401) assert.ok(headers.has("www-authenticate"), "a challenge");
  if (method === "HEAD" || status === 304 || status === 204) assert.equal(body, "");
  else if (status >= 400 && !isUpstreams) checkRefusal(status, headers, body);
}

/** An error's body and status agree, in each of the formats. */
function checkRefusal(status: number, headers: Headers, body: string): void {
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/html")) {
    assert.match(body, /^<!DOCTYPE html>/);
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
  } else if (type.startsWith("text/markdown")) assert.match(body, /^# /);
  else if (!type.startsWith("image/gif")) {
    const answered = JSON.parse(body);
    const isMessage = answered.jsonrpc === "2.0";
    if (isMessage) assert.ok(answered.error.code < 0 && answered.error.message !== "");
    // The package of the protocol has errors of its own.
    if (isMessage && answered.error.data?.status === undefined) return;
    const said = isMessage ? answered.error.data : answered;
    assert.equal(said.status, status);
    assert.ok(ERROR_CODES.includes(said.code), said.code);
    assert.match(said.documentation_url, /^https:\/\/foyer\.example\/docs\/errors#\w+$/);
    const message = typeof said.error === "string" ? said.error : said.error.message;
    assert.ok(message.startsWith(said.message));
  }
}

Deno.test(`${COUNT} hostile requests over every door: no fault, no secret, refusals in shape`, async () => {
  const record = row({
    id: "recHostile",
    Name: "Hostile",
    Description: HOSTILE,
    Url: "javascript:alert(1)",
    "In Person Location": HOSTILE,
    Requirements: HOSTILE,
    "Theme Accent": "red;}body{display:none",
  });
  await using foyer = await startFoyer({ records: [record, row({})], env: ENV });
  const doors = await listDoors();
  const member = await foyer.createMember();
  let next = 0;
  async function run(until: number): Promise<void> {
    while (next < until) {
      const seed = `${SEED} ${next++}`;
      const request = hostileRequest(seed, doors, member.key);
      try {
        check(request, await ask(foyer, request.bytes));
      } catch (cause) {
        const text = new TextDecoder("latin1").decode(request.bytes).slice(0, 2_000);
        throw new Error(`seed "${seed}": ${JSON.stringify(text)}`, { cause });
      }
    }
  }
  const runAll = (until: number) =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => run(until)));
  // The first tenth fills the caches.
  await runAll(COUNT / 10);
  const before = heldBytes();
  await runAll(COUNT);
  const books = await booksOf(foyer, member);
  assert.equal(books.reserved, 0n);
  assert.equal(books.spent, books.records.reduce((sum, { cost }) => sum + cost, 0n));
  assert.equal((await foyer.get("/api/v1/events/recHostile")).status, 200);
  if (COUNT < LONG_RUN) return;
  foyer.logged.length = foyer.lines.length = 0;
  const growth = heldBytes() - before;
  assert.ok(growth < MAX_GROWTH_BYTES, `${growth} bytes more than after the first tenth`);
});
