/** Numbers in requests and responses: the reservations and charges that follow from them. */

import assert from "node:assert/strict";
import { callAt, done, json } from "../commands/desk.ts";
import { startFoyer } from "../support/foyer.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { until } from "../support/until.ts";
import {
  ANSWER_PRICE,
  ask,
  booksOf,
  chargeOf,
  createGate,
  getUsage,
  PATHS,
  reply,
  SEARCH,
  SEARCH_PRICE,
  startRawProvider,
  STREAM,
} from "./proxy.ts";

/** A JSON answer with this cost. */
const costing = (total: string) => `{"costDollars":{"total":${total}}}`;

/** The results of some responses of a provider, requested one after another. */
async function chargesOf(path: string, body: unknown, type: string, answers: readonly string[]) {
  const left = [...answers];
  await using provider = startRawProvider((connection) => {
    return reply(200, type, left.shift() ?? "", "Connection: close")(connection);
  });
  await using foyer = await startFoyer({ env: { WEBSEARCH_API_URL: provider.origin } });
  const charges = [];
  for (const answer of answers) {
    const member = await foyer.createMember();
    const response = await foyer.post(path, member.key, body);
    const got = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.bytes());
    const { status, cost, from } = await chargeOf(foyer, member);
    assert.deepEqual([status, got], [200, answer]);
    const stated = type === "application/json" ? formatUsd(cost) : null;
    assert.equal(response.headers.get("x-cost-usd"), stated, answer);
    charges.push([cost, from]);
  }
  return charges;
}

Deno.test("in a stream the last valid cost above zero counts", async () => {
  const held = [ANSWER_PRICE, "reservation"] as const;
  const table: readonly (readonly [string[], readonly [bigint, string]])[] = [
    [["0.123"], [123_000_000n, "provider"]],
    [["0.123", "0"], [123_000_000n, "provider"]],
    [["0.123", "-5"], [123_000_000n, "provider"]],
    [["0.123", '"0.5"', "null", "[]", "{}"], [123_000_000n, "provider"]],
    [["0.123", "1e999"], [123_000_000n, "provider"]],
    [["0.123", "1e6"], [123_000_000n, "provider"]],
    [["0.123", "0.2", "0.1", "0"], [100_000_000n, "provider"]],
    [["0", "0.123"], [123_000_000n, "provider"]],
    [["0"], [0n, "provider"]],
    [["0", "-5"], [0n, "provider"]],
    [["-5"], held],
    [["1e999"], held],
    [["null"], held],
  ];
  const streams = table.map(([costs]) =>
    costs.map((cost) => `data: {"costDollars":{"total":${cost}}}\n\n`).join("") + "data: [DONE]\n\n"
  );
  const charges = await chargesOf(PATHS.answer, STREAM, "text/event-stream", streams);
  table.forEach(([costs, charge], at) => assert.deepEqual(charges[at], charge, costs.join(" ")));
});

Deno.test("a JSON answer is charged as parsers read it: the last of repeated names, behind a byte order mark too", async () => {
  const held = [SEARCH_PRICE, "reservation"] as const;
  const table: readonly (readonly [string, readonly [bigint, string]])[] = [
    ['{"costDollars":{"total":0.5},"costDollars":{"total":0.25}}', [250_000_000n, "provider"]],
    ['{"costDollars":{"total":0.5,"total":0.25}}', [250_000_000n, "provider"]],
    ['{"costDollars":{"total":0.5},"costDollars":{}}', held],
    ['{"costDollars":{"total":0.5},"costDollars":{"search":1}}', held],
    ['{"costDollars":{"total":0.5},"costDollars":null}', held],
    ['{"costDollars":{"total":0.5},"costDollars":[{"total":0.25}]}', held],
    ['{"costDollars":{"total":0.5},"costDollars":7}', held],
    ['{"costDollars":{"total":0.5,"total":"0.25"}}', held],
    ['{"costDollars":{},"costDollars":{"total":0.25}}', [250_000_000n, "provider"]],
    ['{"costDollars":{"total":0.5},"cost\\u0044ollars":{"total":0}}', [0n, "provider"]],
    ['\ufeff{"costDollars":{"total":0.25}}', [250_000_000n, "provider"]],
    ['\ufeff \n{"results":[],"costDollars":{"total":0.25}}\n', [250_000_000n, "provider"]],
    ["\ufeff{}", held],
    ...([
      ["0.0070000000001", 7_000_001n],
      ["7e-3", 7_000_000n],
      ["1e-12", 1n],
      ["1.0", 1_000_000_000n],
      ["100", 100_000_000_000n],
      ["0.0", 0n],
    ] as const).map(([total, cost]) => [costing(total), [cost, "provider"]] as const),
    ...["100.1", "1e6", "1e400", "-1", "-1e-9", '"0.007"', "true", "null", "[0.007]", '{"total":1}']
      .map((total) => [costing(total), held] as const),
    // None of these is a cost of the answer.
    ['{"output":{"costDollars":{"total":9}}}', held],
    ['{"results":[{"costDollars":{"total":9}}],"total":9}', held],
    ['{"text":"\\"costDollars\\":{\\"total\\":9}"}', held],
    ['{"costDollars.total":9}', held],
    ['{"__proto__":{"costDollars":{"total":9}}}', held],
    ['{"costDollars":{"__proto__":{"total":9}}}', held],
  ];
  const bodies = table.map(([body]) => body);
  const charges = await chargesOf(PATHS.search, SEARCH, "application/json", bodies);
  table.forEach(([body, charge], at) => assert.deepEqual(charges[at], charge, body));
});

Deno.test("a search reserves for every page that it may read, and a body that asks for too much is 422 at once", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const search = (contents: unknown, more = {}) =>
    foyer.post(PATHS.search, member.key, { ...SEARCH, contents, ...more });

  using gate = createGate();
  foyer.websearch.faults.push({ kind: "delay", until: gate.opened });
  const waiting = search({ text: true, subpages: 400 });
  await until(() => foyer.websearch.requests.length === 1);
  const usage = await (await getUsage(foyer, member.key)).json();
  // Ten results with 400 subpages each: 4,000 pages, and the search.
  assert.equal(usage.data.reservedUsd, 4.007);
  assert.equal((await search({ text: true })).status, 402);
  gate.open();
  await waiting;

  const refused = [
    [await search({ subpages: 1000 }), "body", "10.007 USD"],
    [await search({}, { numResults: 1e300 }), "body", "1000000000 USD"],
    [await search({ subpages: "1000" }), "contents.subpages"],
    [await search({ subpages: -1 }), "contents.subpages"],
    [await search({}, { numResults: 2.5 }), "numResults"],
    [await search({}, { additionalQueries: 5 }), "additionalQueries"],
    [await search("text"), "contents"],
  ] as const;
  for (const [response, field, value = field] of refused) {
    const error = await response.json();
    assert.deepEqual([response.status, error.code, error.field], [422, "validation_failed", field]);
    assert.ok(error.message.includes(value), error.message);
  }
  assert.equal(foyer.websearch.requests.length, 1);
  const { records, counted } = await booksOf(foyer, member);
  assert.deepEqual([records.length, counted], [1, 1]);
});

Deno.test("a cost of more than ten times its reservation is booked and reported to the operator; an implausible one is not booked", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  const search = async (text: string) => {
    foyer.websearch.faults.push({ kind: "cost", text });
    const response = await ask(foyer, member.key);
    await foyer.services.ledger.flush();
    return response.headers.get("x-request-id");
  };
  const status = (...args: string[]) => callAt(foyer, "status", ...args);

  await search("0.07");
  assert.deepEqual((await json(status("--json"))).suspectCosts, []);
  assert.ok(!(await done(status())).includes("Costs to look at"));
  assert.deepEqual(foyer.lines.filter(({ level }) => level === "warn"), []);

  const excessive = await search("0.0700000001");
  const unusable = await search("100.000000001");
  const { spent, records } = await booksOf(foyer, member);
  assert.equal(spent, 70_000_000n + 70_000_001n + SEARCH_PRICE);
  assert.deepEqual(records.map(({ costFrom }) => costFrom).toSorted(), [
    "provider",
    "provider",
    "reservation",
  ]);
  const warnings = foyer.lines.filter(({ level }) => level === "warn");
  assert.match(warnings[1]?.message ?? "", /; the reservation is charged\.$/);
  assert.deepEqual(
    warnings.map(({ properties }) => properties),
    [
      {
        requestId: excessive,
        accountId: member.accountId,
        endpoint: "search",
        reservedUsd: "0.007",
        costUsd: "0.070000001",
      },
      {
        requestId: unusable,
        accountId: member.accountId,
        endpoint: "search",
        reservedUsd: "0.007",
        stated: "100.000000001",
      },
    ],
  );
  // Every process can read the books for a week.
  const told = { accountId: member.accountId, day: "2026-11-21", requests: 2 };
  foyer.clock.now += 6 * 86_400_000;
  assert.deepEqual((await json(status("--json"))).suspectCosts, [told]);
  assert.match(await done(status()), /2026-11-21 +acc_\w+ +2 requests/);
  foyer.clock.now += 86_400_000;
  assert.deepEqual((await json(status("--json"))).suspectCosts, []);
});

Deno.test("an error says what it was charged, if the request was forwarded", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  foyer.websearch.faults.push({ kind: "status", status: 422 }, { kind: "reset" });
  const answered = async (body: unknown) => {
    const { status, headers } = await ask(foyer, key, body);
    return [status, headers.get("x-cost-usd")];
  };
  assert.deepEqual(await answered(SEARCH), [422, "0"]);
  assert.deepEqual(await answered(SEARCH), [502, "0.007"]);
  assert.deepEqual(await answered({ numResults: "5" }), [422, null]);
});
