/** The limits and refusals that callers see, and the facts that callers never see. */
// Not quick: it fills whole rate windows.

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { createKey, revokeKey } from "../../lib/accounts/key.ts";
import { ERRORS } from "../../lib/platform/http/errors.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { MAX_REQUESTS } from "../../lib/proxy/proxy.ts";
import { BASE_URL, type Foyer, PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import { heldBytes } from "../support/held_bytes.ts";
import { type Member, mistype } from "../support/member.ts";
import { until } from "../support/until.ts";
import {
  announced,
  ask,
  beginPost,
  booksOf,
  CHUNKED,
  createGate,
  DECISION,
  getUsage,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
} from "./proxy.ts";
import { madeBy } from "../support/made_by.ts";

Deno.test("every refusal has the same body, for every client to read", async () => {
  await using foyer = await startFoyer({
    env: { MAX_BODY_BYTES: "1000", RATE_LIMIT_REQUESTS: "1" },
  });
  const { key } = await foyer.createMember();
  const poor = (await foyer.createMember(0n)).key;
  const busy = (await foyer.createMember()).key;
  const { key: banned, accountId } = await foyer.createMember();
  await updateAccount(foyer.kv, accountId, { banned: true }, madeBy());
  const gone = await foyer.createMember();
  await revokeKey(foyer.kv, gone.keyId, madeBy(foyer.clock.now));
  const other = (await foyer.createMember()).key;
  const post = (path: string, by: string, body: unknown = SEARCH) => foyer.post(path, by, body);
  await ask(foyer, busy);
  foyer.websearch.faults.push({ kind: "hang" }, { kind: "html" });
  /** With whether the caller's account is known, so that the response states its rate limit. */
  const table: readonly (readonly [
    response: Response,
    code: keyof typeof ERRORS,
    isKnown?: boolean,
    refusedBy?: string,
  ])[] = [
    [await post("/proxy/v1/nothing", key), "not_found", false],
    [await foyer.get(PATHS.search), "method_not_allowed", false],
    [await post(PATHS.search, "nonsense"), "unauthorized", false],
    [await post(PATHS.search, key, "x".repeat(1001)), "payload_too_large"],
    [await post(PATHS.search, key, "{"), "bad_request"],
    [await post(PATHS.decision, key, {}), "validation_failed"],
    [await post(PATHS.decision, key, []), "validation_failed"],
    [await post(PATHS.search, banned), "forbidden"],
    [await post(PATHS.search, gone.key), "unauthorized", false],
    [await getUsage(foyer, key, "?day=1"), "bad_request"],
    [await post(PATHS.search, busy), "rate_limited"],
    [await post(PATHS.search, poor), "spending_limit_reached"],
    [await untilTimeout(foyer, post(PATHS.search, key)), "upstream_timeout", true, "upstream"],
    [await post(PATHS.search, other), "upstream_error", true, "upstream"],
  ];
  for (const [response, code, isKnown = true, refusedBy = "foyer"] of table) {
    const { status } = ERRORS[code];
    assert.equal(response.status, status, code);
    assert.equal(response.headers.get("content-type"), "application/json");
    const body = await response.json();
    const { error, message, hint, requestId } = body;
    assert.deepEqual(error, {
      message: hint === undefined ? message : `${message} ${hint}`,
      type: code,
      code: status,
    });
    assert.deepEqual([body.code, body.status], [code, status]);
    assert.equal(body.documentation_url, `${BASE_URL}/docs/errors#${code}`);
    assert.equal(requestId, response.headers.get("x-request-id"));
    assert.equal(response.headers.get("x-refused-by"), refusedBy, code);
    assert.doesNotMatch(JSON.stringify(body), /<|\bat \w+ \(|node_modules|file:/);
    assert.equal(response.headers.has("ratelimit"), isKnown, code);
    assert.equal(response.headers.has("ratelimit-policy"), isKnown, code);
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    assert.notEqual(response.headers.get("cache-control"), null);
  }
});

/** The response to a request whose provider hangs, after the time limit. */
async function untilTimeout({ limits, websearch }: Foyer, hanging: Promise<Response>) {
  await until(() => websearch.active === 1);
  return await limits.lapseDuring(120_000, hanging);
}

Deno.test("a request that does not fit beside those in progress is 429, and succeeds when they have ended", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember(2n * SEARCH_PRICE - 1n);
  using rest = createGate();
  foyer.websearch.faults.push({ kind: "delay", until: rest.opened });
  const first = foyer.post(PATHS.search, member.key, SEARCH);
  await until(() => foyer.websearch.active === 1);
  const refused = await foyer.post(PATHS.search, member.key, SEARCH);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "2");
  assert.equal(refused.headers.get("x-refused-by"), "foyer");
  assert.ok(refused.headers.has("ratelimit"));
  const body = await refused.json();
  assert.equal(body.code, "too_many_open");
  assert.match(body.message, /the account's daily limit/);
  rest.open();
  await first;
  await foyer.services.ledger.flush();
  assert.equal(
    (await ask(foyer, member.key)).status,
    200,
    "the last one admitted may pass the limit",
  );
  await foyer.services.ledger.flush();
  const reached = await foyer.post(PATHS.search, member.key, SEARCH);
  assert.deepEqual([reached.status, (await reached.json()).code], [402, "spending_limit_reached"]);
  const { spent, counted } = await booksOf(foyer, member);
  assert.deepEqual([spent, counted], [2n * SEARCH_PRICE, 2]);
});

Deno.test("of a burst, all that fit a limit are admitted, and no more", async () => {
  const fits = 100;
  const sent = fits + 20;
  const daily = BigInt(fits) * SEARCH_PRICE;
  const limits: readonly {
    readonly env?: Record<string, string>;
    readonly account?: bigint;
    readonly cap?: bigint;
  }[] = [
    { account: daily },
    { cap: daily },
    { env: { SERVICE_DAILY_LIMIT_USD: formatUsd(daily) } },
    { env: { RATE_LIMIT_REQUESTS: String(fits) } },
  ];
  for (const { env = {}, account, cap } of limits) {
    await using foyer = await startFoyer({ env });
    const member = await foyer.createMember(account);
    const asked = { accountId: member.accountId, label: null, expiresAt: null };
    const key = cap === undefined
      ? member.key
      : (await createKey(foyer.kv, { ...asked, cap }, madeBy(foyer.clock.now))).text;
    using rest = createGate();
    foyer.websearch.faults.push(
      ...Array.from({ length: sent }, () => ({ kind: "delay", until: rest.opened }) as const),
    );
    const answers = Array.from({ length: sent }, () => ask(foyer, key));
    const refused: number[] = [];
    for (const answer of answers) {
      void answer.then(({ status }) => status === 200 || refused.push(status));
    }
    await until(() => foyer.websearch.active + refused.length === sent);
    rest.open();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    const what = `${JSON.stringify(env)} ${account} ${cap}: ${[...new Set(statuses)]}`;
    assert.equal(statuses.filter((status) => status === 200).length, fits, what);
    assert.ok(refused.every((status) => status === 402 || status === 429), what);
    const { spent, counted } = await booksOf(foyer, member);
    assert.deepEqual([spent, counted], [daily, fits]);
  }
});

Deno.test("RateLimit counts down, 429 says when to come back, and the window slides", async () => {
  const env = { RATE_LIMIT_REQUESTS: "3" };
  await using foyer = await startFoyer({ env });
  const { key } = await foyer.createMember();
  const search = async () => {
    const { status, headers } = await ask(foyer, key);
    assert.equal(headers.get("ratelimit-policy"), '"default";q=3;w=1800');
    return [status, headers.get("ratelimit"), headers.get("retry-after")];
  };
  assert.deepEqual(await search(), [200, '"default";r=2;t=1800', null]);
  // Requests less than a slot of the window apart could count at the time of the later.
  foyer.clock.now += 20_000;
  assert.deepEqual(await search(), [200, '"default";r=1;t=1780', null]);
  assert.deepEqual(await search(), [200, '"default";r=0;t=1780', null]);
  assert.deepEqual(await search(), [429, '"default";r=0;t=1780', "1780"]);
  const usage = await getUsage(foyer, key);
  assert.equal(usage.headers.get("ratelimit"), '"default";r=0;t=1780');
  assert.equal((await usage.json()).data.rateLimit.remaining, 0);
  foyer.clock.now += 1_779_999;
  assert.deepEqual(await search(), [429, '"default";r=0;t=1', "1"]);
  foyer.clock.now += 1;
  assert.deepEqual(await search(), [200, '"default";r=0;t=20', null]);
});

Deno.test("an account that continues after twenty 429s in a second waits for the next, which says how long to wait from then on; no other account does", async () => {
  const pauses: number[] = [];
  let pass = (_milliseconds: number) => {};
  const sleep = (milliseconds: number) => {
    pauses.push(milliseconds);
    return Promise.resolve(pass(milliseconds));
  };
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "1" }, sleep });
  const [greedy, other] = [await foyer.createMember(), await foyer.createMember()];
  const refusals = async ({ key }: Member, times: number) => {
    const answers = await Promise.all(Array.from({ length: times }, () => ask(foyer, key)));
    return answers.filter(({ status }) => status === 429).length;
  };
  assert.equal(await refusals(greedy, 21), 20);
  assert.deepEqual(pauses, []);
  assert.equal(await refusals(greedy, 5), 5);
  assert.equal(pauses.length, 5);
  assert.ok(pauses.every((pause) => pause >= 1_000 && pause < 2_000), `${pauses}`);
  assert.equal(new Set(pauses).size, 5, "they do not come back together");
  assert.equal(await refusals(other, 21), 20);
  foyer.clock.now += 1_000;
  assert.equal(await refusals(greedy, 20), 20);
  assert.equal(pauses.length, 5);
  pass = (milliseconds) => foyer.clock.now += milliseconds;
  const { headers } = await ask(foyer, greedy.key);
  assert.equal(pauses.length, 6);
  const seconds = Math.ceil(1_799 - (pauses.at(-1) ?? 0) / 1_000);
  assert.equal(headers.get("retry-after"), String(seconds));
  assert.equal(headers.get("ratelimit"), `"default";r=0;t=${seconds}`);
});

Deno.test("an account whose bodies are refused more than twenty times in a second waits for the next refusal", async () => {
  const pauses: number[] = [];
  const sleep = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
  await using foyer = await startFoyer({ sleep });
  const [careless, other] = [await foyer.createMember(), await foyer.createMember()];
  const post = async ({ key }: Member, body: unknown, path: string = PATHS.search) =>
    (await ask(foyer, key, body, path)).status;
  for (let time = 0; time < 10; time++) {
    assert.equal(await post(careless, "{"), 400);
    assert.equal(await post(careless, {}, PATHS.decision), 422);
  }
  assert.deepEqual(pauses, []);
  assert.equal(await post(careless, { numResults: "5" }), 422);
  assert.equal(await post(careless, "{"), 400);
  assert.equal(pauses.length, 2);
  assert.ok(pauses.every((pause) => pause >= 1_000 && pause < 2_000), `${pauses}`);
  assert.equal(await post(other, "{"), 400);
  assert.equal(await post(careless, SEARCH), 200);
  // A megabyte takes as long to refuse as sixteen small bodies.
  const large = "[".padEnd(1_000_000);
  assert.equal(await post(other, large), 400);
  assert.equal(pauses.length, 2);
  assert.equal(await post(other, large), 400);
  assert.equal(pauses.length, 3);
  // A provider's own refusals are counted requests.
  foyer.websearch.faults.push({ kind: "status", status: 422 });
  assert.equal(await post(careless, SEARCH), 422);
  assert.equal(pauses.length, 3);
});

Deno.test("every refusal of a known account is slowed by the same rule, and no other account's", async () => {
  const pauses: number[] = [];
  const sleep = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
  await using foyer = await startFoyer({ sleep });
  const [other, banned, gone, poor] = [
    await foyer.createMember(),
    await foyer.createMember(),
    await foyer.createMember(),
    await foyer.createMember(0n),
  ];
  await updateAccount(foyer.kv, banned.accountId, { banned: true }, madeBy());
  await revokeKey(foyer.kv, gone.keyId, madeBy(foyer.clock.now));
  for (const [{ key }, status] of [[poor, 402], [banned, 403], [gone, 401]] as const) {
    const before = pauses.length;
    for (let time = 0; time < 21; time++) assert.equal((await ask(foyer, key)).status, status);
    assert.equal(pauses.length, before + 1, `${status}`);
  }
  assert.equal((await ask(foyer, other.key, "{")).status, 400);
  assert.equal(pauses.length, 3);
  const tight = await foyer.createMember(2n * SEARCH_PRICE - 1n);
  using rest = createGate();
  foyer.websearch.faults.push({ kind: "delay", until: rest.opened });
  const first = ask(foyer, tight.key);
  await until(() => foyer.websearch.active === 1);
  for (let time = 0; time < 21; time++) assert.equal((await ask(foyer, tight.key)).status, 429);
  assert.equal(pauses.length, 4);
  rest.open();
  await first;
});

Deno.test("a 429 that waits holds no body", async () => {
  using rest = createGate();
  await using foyer = await startFoyer({ env: { RATE_LIMIT_REQUESTS: "1" }, sleep: rest.wait });
  const { key } = await foyer.createMember();
  for (let count = 0; count < 21; count++) {
    await ask(foyer, key);
  }
  const large = new TextEncoder().encode(JSON.stringify({ query: "x".repeat(1_000_000) }));
  // Each `fetch` would hold its own copy of bytes.
  const body = () => new Blob([large]).stream();
  const before = heldBytes();
  const refused = Array.from(
    { length: 40 },
    () => foyer.post(PATHS.search, key, "", { body: body() }),
  );
  await until(() => rest.waiting === refused.length);
  const growth = heldBytes() - before;
  rest.open();
  for (const { status } of await Promise.all(refused)) {
    assert.equal(status, 429);
  }
  assert.ok(growth < 20e6, `${growth} bytes`);
});

Deno.test("while a flood of 402 waits, the searches of another account go on, and none of them waits", async () => {
  using rest = createGate();
  await using foyer = await startFoyer({ sleep: rest.wait });
  const [poor, other] = [await foyer.createMember(0n), await foyer.createMember()];
  for (let count = 0; count < 20; count++) await ask(foyer, poor.key);
  // More than an account may have in flight.
  const flood = Array.from({ length: MAX_REQUESTS / 2 + 1 }, () => ask(foyer, poor.key));
  await until(() => rest.waiting === flood.length);
  for (let count = 0; count < 10; count++) assert.equal((await ask(foyer, other.key)).status, 200);
  assert.equal(rest.waiting, flood.length);
  rest.open();
  for (const { status } of await Promise.all(flood)) assert.equal(status, 402);
  assert.equal((await booksOf(foyer, other)).spent, 10n * SEARCH_PRICE);
  assert.equal(foyer.websearch.requests.length, 10);
});

Deno.test("402 states the limit, the spent and reserved amounts, and the end of the day; the next day starts at zero", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember(10_000_000n);
  using rest = createGate();
  await ask(foyer, member.key);
  await booksOf(foyer, member);
  foyer.websearch.faults.push({ kind: "delay", until: rest.opened });
  const underWay = foyer.post(PATHS.search, member.key, SEARCH);
  await until(() => foyer.websearch.active === 1);
  const refused = await foyer.post(PATHS.search, member.key, SEARCH);
  assert.equal(refused.status, 402);
  assert.equal(refused.headers.get("retry-after"), String(12 * 3600));
  const { error, spending } = await refused.json();
  assert.deepEqual(spending, {
    scope: "account",
    limitUsd: 0.01,
    spentUsd: 0.007,
    reservedUsd: 0.007,
    resetsAt: "2026-11-22T00:00:00.000Z",
  });
  for (const part of ["0.01 USD", "0.007 USD", "2026-11-22T00:00", "/proxy/v1/usage"]) {
    assert.ok(error.message.includes(part), `${part} in ${error.message}`);
  }
  rest.open();
  await underWay;
  const { spent, counted } = await booksOf(foyer, member);
  assert.deepEqual([spent, counted], [2n * SEARCH_PRICE, 2]);
  assert.equal(foyer.websearch.requests.length, 2);
  foyer.clock.now += 12 * 3_600_000;
  assert.equal((await ask(foyer, member.key)).status, 200);
});

Deno.test("a warning comes when less than a fifth is left, on answers and on usage", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember(35_000_000n);
  const warnings: (string | null)[] = [];
  for (let count = 0; count < 5; count++) {
    const response = await ask(foyer, member.key);
    warnings.push(response.headers.get("x-spending-warning"));
    await booksOf(foyer, member);
  }
  // Exactly a fifth causes no warning.
  const none = "0 of 0.035 USD left until 2026-11-22T00:00:00.000Z";
  assert.deepEqual(warnings, [null, null, null, null, none]);
  const { data } = await (await getUsage(foyer, member.key)).json();
  assert.equal(data.warning, none);
  assert.equal(data.remainingUsd, 0);
});

Deno.test("no log, no answer and no record holds a key of a provider or the secret of a member's", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const answers: string[] = [];
  const faults = [401, 402, 403, 500, 400].map((status) => ({ kind: "status" as const, status }));
  // deno-lint-ignore no-explicit-any -- statuses that the plan knows
  foyer.websearch.faults.push(...faults as any, { kind: "reset" }, { kind: "garbage" });
  const keys = [
    ...Array(10).fill(member.key),
    mistype(member.key),
    `${member.key}x`,
    `"${member.key}"`,
  ];
  const { keyId, key: gone } = await foyer.createMember();
  await revokeKey(foyer.kv, keyId, madeBy(foyer.clock.now));
  keys.push(gone, mistype(gone));
  for (const key of keys) {
    for (const [path, body] of [[PATHS.search, SEARCH], [PATHS.decision, DECISION]] as const) {
      const response = await foyer.post(path, key, body);
      answers.push(JSON.stringify([...response.headers]) + await response.text());
    }
  }
  foyer.websearch.faults.push({ kind: "hang" });
  const late = await untilTimeout(foyer, foyer.post(PATHS.search, member.key, SEARCH));
  assert.equal(late.status, 504);
  const wrong = [
    { authorization: `Bearer ${member.key}`, "x-api-key": "another" },
    { authorization: `Bearer ${member.key}`, "x-api-key": `${member.key}1` },
    { authorization: `Basic ${member.key}` },
    { authorization: member.key },
  ];
  for (const headers of wrong) {
    answers.push(await (await foyer.post(PATHS.search, null, SEARCH, { headers })).text());
  }
  answers.push(
    await late.text(),
    await (await getUsage(foyer, member.key)).text(),
  );
  await foyer.services.ledger.flush();
  const stored: string[] = [];
  for await (const entry of foyer.kv.list({ prefix: [] })) {
    stored.push(Deno.inspect(entry, { depth: 9 }));
  }
  // Without the checksum, which other keys may share.
  const secrets = [member.key, gone].map((key) => key.slice(-38, -6));
  for (const hidden of [...secrets, ...Object.values(PROVIDER_KEYS)]) {
    for (const [where, texts] of Object.entries({ answers, stored, logged: foyer.logged })) {
      assert.ok(texts.length > 3, where);
      assert.ok(!texts.some((text) => text.includes(hidden)), `${hidden} is in ${where}`);
    }
  }
});

Deno.test("a body that breaks off is never forwarded, counted or reserved", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  for (const framing of [announced(100), CHUNKED]) {
    const half = '20\r\n{"query":"bread","x":"';
    using _connection = await beginPost(foyer, PATHS.search, member.key, [framing], half);
  }
  // The broken requests are done by the end of another one.
  await ask(foyer, member.key);
  assert.equal((await booksOf(foyer, member)).counted, 1);
  assert.equal(foyer.websearch.requests.length, 1);
});
