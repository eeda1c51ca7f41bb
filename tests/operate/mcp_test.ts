/** `/mcp` as assistants use it, by the protocol's official client. */

import assert from "node:assert/strict";
import { createKey } from "../../lib/accounts/key.ts";
import {
  announced,
  beginPost,
  booksOf,
  chargeOf,
  createGate,
  DECISION,
  hasAnswer,
  SEARCH,
  untilBooked,
} from "../proxy/proxy.ts";
import { charged } from "../clients/support.ts";
import { BASE_URL, row, startFoyer } from "../support/foyer.ts";
import { madeBy } from "../support/made_by.ts";
import { connectClient, ERAS } from "../support/mcp.ts";
import { mistype } from "../support/member.ts";
import { until } from "../support/until.ts";

const PUBLIC = ["list_events", "get_event", "search_documents"];
const PAGE = "https://sandbox.example/cooking/sourdough";
/** A valid call of each tool that needs a key, with its endpoint in usage records. */
const KEYED = [
  { name: "web_search", endpoint: "search", args: SEARCH },
  { name: "find_similar", endpoint: "findSimilar", args: { url: PAGE } },
  { name: "read_pages", endpoint: "contents", args: { urls: [PAGE] } },
  { name: "answer", endpoint: "answer", args: SEARCH },
  { name: "decide", endpoint: "decision", args: DECISION },
  { name: "usage", endpoint: null, args: {} },
];

type Client = Awaited<ReturnType<typeof connectClient>>;
type Result = Awaited<ReturnType<Client["callTool"]>>;

/** The texts of a result. */
function textOf({ content }: Result): string {
  return content.map((part) => part.type === "text" ? part.text : "").join("\n");
}

/** The JSON of a result. */
// deno-lint-ignore no-explicit-any -- each tool's own
const dataOf = ({ structuredContent }: Result) => structuredContent as any;

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

for (const era of ERAS) {
  Deno.test(`without a key, a client of ${era} lists and calls the public tools`, async () => {
    const records = [
      row({
        "Name": "Jam",
        "Description": "Music for all.",
        "In Person Location": "Porto, Portugal",
      }),
      row({ "Name": "Old", "Start Date": "2026-01-01", "End Date": "2026-01-02" }),
    ];
    await using foyer = await startFoyer({ records });
    await using client = await connectClient(foyer, null, era);
    assert.deepEqual(await namesOf(client), PUBLIC);
    const call = (name: string, given: Record<string, unknown>) =>
      client.callTool({ name, arguments: given });
    const query = { status: ["upcoming", "ongoing"], order: "asc" };
    const list = await call("list_events", query);
    const api = await (await foyer.get("/api/v1/events?status=upcoming")).json();
    assert.deepEqual(dataOf(list), api);
    assert.match(textOf(list), /\[Jam\]\(https:\/\/foyer\.example\/events\/jam\)/);
    const there = await call("list_events", { place: ["Porto, Portugal", "Berlin"] });
    assert.deepEqual(dataOf(there).data, api.data);
    const hint = textOf(await call("list_events", { place: "Prto" }));
    assert.equal(hint, 'No event has the place "Prto". Did you mean "Porto"?');
    const event = await call("get_event", { idOrSlug: "jam" });
    assert.deepEqual(dataOf(event), await (await foyer.get("/api/v1/events/jam")).json());
    assert.match(textOf(event), /^# Jam\n[^]*Music for all\./);
    const found = await call("search_documents", { query: "daily limit" });
    assert.match(textOf(found), /^- \[[^\]]+\]\(https:\/\/foyer\.example\//);
    assert.ok(dataOf(found).results.length > 0);
  });

  Deno.test(`with a key, a client of ${era} calls every tool, and the books agree to the nano-dollar`, async () => {
    await using foyer = await startFoyer();
    const member = await foyer.createMember();
    await using client = await connectClient(foyer, member.key, era);
    assert.deepEqual(await namesOf(client), [...PUBLIC, ...KEYED.map(({ name }) => name)]);
    for (const { name, args } of KEYED) {
      const result = await client.callTool({ name, arguments: args });
      assert.notEqual(result.isError, true, textOf(result));
      assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
    }
    const { spent, reserved, records } = await booksOf(foyer, member);
    assert.deepEqual({ spent, reserved }, { spent: charged(foyer), reserved: 0n });
    assert.deepEqual(
      records.map(({ endpoint }) => endpoint).sort(),
      KEYED.flatMap(({ endpoint }) => endpoint ?? []).sort(),
    );
    const line = foyer.lines.find(({ properties }) => properties["endpoint"] === "search");
    const { accountId } = member;
    assert.partialDeepStrictEqual(line?.properties, { route: "/mcp", accountId, costUsd: "0.007" });
  });

  Deno.test(`an answer is progress while it arrives, for a client of ${era} that asks for it`, async () => {
    await using foyer = await startFoyer();
    const member = await foyer.createMember();
    await using client = await connectClient(foyer, member.key, era);
    const parts: string[] = [];
    const result = await client.callTool({ name: "answer", arguments: SEARCH }, {
      onprogress: ({ message = "" }) => parts.push(message),
    });
    assert.ok(parts.length > 1);
    assert.equal(parts.join(""), dataOf(result).answer);
    assert.ok(dataOf(result).citations.length > 0);
    assert.equal((await chargeOf(foyer, member)).cost, charged(foyer));
  });

  Deno.test(`a client of ${era} that cancels a call and leaves settles it`, async () => {
    await using foyer = await startFoyer();
    const member = await foyer.createMember();
    await using client = await connectClient(foyer, member.key, era);
    using rest = createGate();
    foyer.websearch.faults.push({ kind: "delay", until: rest.opened });
    const leaving = new AbortController();
    const call = client.callTool({ name: "web_search", arguments: SEARCH }, {
      signal: leaving.signal,
    });
    await until(() => foyer.websearch.active === 1);
    leaving.abort();
    await assert.rejects(call);
    // In the older era, a client keeps the response open when it cancels, and its word reaches any process.
    if (era !== ERAS[1]) await client.close();
    await untilBooked(foyer, member);
    const { status, from } = await chargeOf(foyer, member);
    assert.deepEqual({ status, from }, { status: 499, from: "reservation" });
    const lineOf = () =>
      foyer.lines.find(({ properties }) =>
        properties["route"] === "/mcp" &&
        properties["endpoint"] === "search"
      );
    await until(() => lineOf() !== undefined);
    assert.equal(lineOf()?.properties["costUsd"], "0.007");
  });
}

Deno.test("every event and document is a resource, a page at a time", async () => {
  const records = Array.from({ length: 120 }, (_, at) => row({ "Name": `Jam ${at}` }));
  await using foyer = await startFoyer({ records });
  await using client = await connectClient(foyer);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  assert.equal(uris.filter((uri) => uri.startsWith(`${BASE_URL}/events/`)).length, 120);
  for (const uri of [`${BASE_URL}/docs/events.md`, `${BASE_URL}/events/jam-7.md`]) {
    assert.ok(uris.includes(uri), uri);
    const { contents: [content] } = await client.readResource({ uri });
    const page = await foyer.get(uri.slice(BASE_URL.length));
    const text = content !== undefined && "text" in content ? content.text : "";
    assert.equal(text.split("\n")[0], (await page.text()).split("\n")[0]);
  }
  await assert.rejects(client.readResource({ uri: `${BASE_URL}/events/none.md` }), /not found/i);
  await assert.rejects(client.listResources({ cursor: "none" }), /The cursor/);
});

Deno.test("a list without a limit has 20 events, and shows an edit as soon as the API does", async () => {
  const records = Array.from({ length: 30 }, (_, at) => row({ "Name": `Jam ${at}` }));
  await using foyer = await startFoyer({ records });
  await using client = await connectClient(foyer);
  await using other = await connectClient(foyer);
  const call = { name: "list_events", arguments: { q: "Jam" } };
  const [one, two] = await Promise.all([client.callTool(call), other.callTool(call)]);
  assert.equal(dataOf(one).data.length, 20);
  assert.deepEqual(dataOf(one), dataOf(two));
  foyer.store.setRecords(records.slice(12));
  foyer.clock.now += 300_000;
  assert.equal(dataOf(await client.callTool(call)).data.length, 18);
  foyer.clock.now = Date.parse("2026-12-01T12:00:00Z");
  const later = await client.callTool(call);
  assert.equal(dataOf(later).data[0].status, "ongoing");
});

Deno.test("a key's endpoints decide which tools are listed, and the others are refused", async () => {
  await using foyer = await startFoyer();
  const { accountId } = await foyer.createMember();
  const asked = { accountId, label: null, expiresAt: null, endpoints: ["decision"] };
  const { text } = await createKey(foyer.kv, asked, madeBy(foyer.clock.now));
  await using client = await connectClient(foyer, text);
  assert.deepEqual(await namesOf(client), [...PUBLIC, "decide", "usage"]);
  const refused = await client.callTool({ name: "web_search", arguments: SEARCH });
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /decision/);
  assert.equal(foyer.websearch.requests.length, 0);
});

Deno.test("a wrong key is refused with the proxy's own sentence, whatever the message", async () => {
  await using foyer = await startFoyer();
  const { key } = await foyer.createMember();
  const wrong = mistype(key);
  const proxy = await (await foyer.post("/proxy/v1/websearch/search", wrong, SEARCH)).json();
  const response = await foyer.post("/mcp", wrong, { jsonrpc: "2.0", id: 1, method: "ping" });
  assert.equal(response.status, 401);
  assert.equal((await response.json()).error.message, proxy.error.message);
  await assert.rejects(connectClient(foyer, wrong), (error: Error) => /401|key/i.test(`${error}`));
});

/** No text by `String`. */
const HOSTILE = { toString: 1, valueOf: 1 };

Deno.test("a refused request is a tool's error that says what to do, and costs nothing", async () => {
  await using foyer = await startFoyer({ records: [row({ "Name": "Jam" })] });
  const poor = await foyer.createMember(1n);
  await using visitor = await connectClient(foyer);
  await using client = await connectClient(foyer, poor.key);
  await using other = await connectClient(foyer, (await foyer.createMember()).key);
  foyer.decision.faults.push({ kind: "status", status: 422 });
  const cases: [Client, string, Record<string, unknown>, RegExp][] = [
    [visitor, "web_search", SEARCH, /Authorization: Bearer/],
    [visitor, "list_events", { staus: "ended" }, /There is no parameter "staus".*status/],
    [visitor, "list_events", { "limit&": 5 }, /There is no parameter "limit&".*limit/],
    [visitor, "list_events", { "q#": "x", limit: 3 }, /There is no parameter "q#"/],
    [visitor, "list_events", { limit: 1_000 }, /limit is a whole number from 1 to 100/],
    [visitor, "get_event", { idOrSlug: "../../up" }, /No event has the id or slug/],
    [visitor, "get_event", {}, /No event has the id or slug/],
    [visitor, "get_event", { idOrSlug: HOSTILE }, /No event has the id or slug/],
    [visitor, "list_events", { status: [HOSTILE] }, /status is one of/],
    [visitor, "list_events", { pinned: HOSTILE }, /pinned is/],
    [client, "decide", { state: 1 }, /state must be/],
    [other, "web_search", { query: "" }, /^The provider refused the request with 4\d\d: /],
    [client, "usage", { days: 1_000 }, /days is a whole number from 1 to 90/],
  ];
  for (const [asking, name, args, sentence] of cases) {
    const result = await asking.callTool({ name, arguments: args });
    assert.equal(result.isError, true, name);
    assert.match(textOf(result), sentence);
  }
  foyer.websearch.faults.push({ kind: "status", status: 429, retryAfterSeconds: 7 });
  const busy = await other.callTool({ name: "web_search", arguments: SEARCH });
  assert.match(textOf(busy), /with 429[^]*\nRetry-After: 7$/);
  await client.callTool({ name: "web_search", arguments: SEARCH });
  const limited = await client.callTool({ name: "web_search", arguments: SEARCH });
  assert.equal(limited.isError, true);
  assert.match(textOf(limited), /daily limit/);
  await assert.rejects(client.callTool({ name: "web_serch", arguments: {} }), /no tool web_serch/);
  const { spent, records } = await booksOf(foyer, poor);
  assert.deepEqual([spent, records.length], [charged(foyer), 1]);
});

Deno.test("a response that no model could read is a tool's error, charged as any other", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  await using client = await connectClient(foyer, member.key);
  foyer.websearch.faults.push({ kind: "huge", bytes: 3_000_000 });
  const result = await client.callTool({ name: "web_search", arguments: SEARCH });
  assert.equal(result.isError, true);
  assert.match(textOf(result), /over 1048576 bytes/);
  await untilBooked(foyer, member);
  assert.equal((await booksOf(foyer, member)).reserved, 0n);
});

const MESSAGE = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "web_search", arguments: SEARCH },
};
const ACCEPT = { accept: "application/json, text/event-stream" };

const MANY = { a: new Array(2_500).fill(1) };
/** Messages that are refused, with the status and the code of JSON-RPC. */
const BAD: readonly (readonly [string, unknown, HeadersInit, number, number])[] = [
  ["a batch", [MESSAGE, MESSAGE], {}, 422, -32_600],
  ["no message", "7", {}, 422, -32_600],
  ["half a message", '{"jsonrpc":', {}, 400, -32_700],
  ["another type", MESSAGE, { "content-type": "text/plain" }, 415, -32_000],
  ["a compressed body", MESSAGE, { "content-encoding": "gzip" }, 415, -32_000],
  ["a huge body", { ...MESSAGE, more: "x".repeat(1_100_000) }, {}, 413, -32_000],
  ["params that are a list", { ...MESSAGE, params: [] }, {}, 400, -32_600],
  [
    "arguments that are a text",
    { ...MESSAGE, params: { name: "usage", arguments: "x" } },
    {},
    400,
    -32_600,
  ],
  ["a name that is a number", { ...MESSAGE, params: { name: 7 } }, { accept: "*/*" }, 200, -32_602],
  [
    "nothing to read",
    { jsonrpc: "2.0", id: 1, method: "resources/read" },
    { accept: "*/*" },
    200,
    -32_602,
  ],
  ["members without end", { ...MESSAGE, params: { name: "x".repeat(5_000) } }, {}, 400, -32_600],
  ["a large message for a small tool", { ...MESSAGE, more: "x".repeat(70_000) }, {}, 400, -32_600],
  [
    "brackets without end",
    `{"jsonrpc":"2.0","id":1,"method":${"[".repeat(9_000)}`,
    {},
    400,
    -32_600,
  ],
  ...[{ query: MANY }, { questions: JSON.stringify(MANY) }, JSON.stringify({ query: MANY })].map((
    given,
  ) =>
    [
      "values without end",
      { ...MESSAGE, params: { name: "decide", arguments: given } },
      {},
      400,
      -32_600,
    ] as const
  ),
  ["an unknown version", MESSAGE, { "mcp-protocol-version": "1999-01-01" }, 400, -32_000],
  ["a version without envelope", MESSAGE, { "mcp-protocol-version": "2026-07-28" }, 400, -32_602],
];

Deno.test("bad input gets the specification's error; nothing is charged or held", async (test) => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  for (const [name, body, headers, status, code] of BAD) {
    await test.step(name, async () => {
      const init = { headers: { ...ACCEPT, ...headers } };
      const response = await foyer.post("/mcp", member.key, body, init);
      const { error } = await response.json();
      assert.deepEqual([response.status, error.code], [status, code], error.message);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
    });
  }
  for (const method of ["GET", "DELETE"]) {
    const response = await foyer.get("/mcp", { method, headers: ACCEPT });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "POST, OPTIONS");
  }
  const { spent, reserved, records } = await booksOf(foyer, member);
  assert.deepEqual([spent, reserved, records.length], [0n, 0n, 0]);
  assert.equal(foyer.websearch.requests.length, 0);
});

Deno.test("whatever Accept says, a message is answered: as JSON, unless it names streams", async () => {
  await using foyer = await startFoyer({ records: [row()] });
  const list = {
    ...MESSAGE,
    params: { name: "list_events", arguments: null, _meta: null, more: 1 },
  };
  const cases = [["", false], ["*/*", false], ["application/json", false], ["text/html", false]];
  for (const [accept, isStream] of [...cases, ["text/event-stream", true]] as [string, boolean][]) {
    for (
      const [id, query] of [[1, list], ["é", { ...list, params: { name: "list_events" } }]] as const
    ) {
      const headers = accept === "" ? {} : { accept };
      const response = await foyer.post("/mcp", null, { ...query, id }, { headers });
      const type = response.headers.get("content-type");
      assert.equal(type, isStream ? "text/event-stream" : "application/json", accept);
      const text = await response.text();
      const answer = JSON.parse(isStream ? /(?<=^data: ).*/m.exec(text)?.[0] ?? "" : text);
      assert.deepEqual([answer.id, answer.result.structuredContent.data.length], [id, 1]);
    }
  }
});

/** Arguments as models write them, with the query string of the API that means the same. */
const MEANT: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ limit: null, status: null, q: null }, "limit=20"],
  [{ limit: "3", status: [], q: "", from: "" }, "limit=3"],
  [{ limit: 3, status: "upcoming,ongoing" }, "limit=3&status=upcoming,ongoing"],
  [{ limit: 3, status: '["upcoming","ongoing"]' }, "limit=3&status=upcoming,ongoing"],
  [{ limit: 3, place: ["Porto, Portugal", "Lyon"] }, "limit=3&place=Porto,+Portugal&place=Lyon"],
  [{ limit: 3, pinned: "True", toolCallId: "call_1", sessionId: null }, "limit=3&pinned=true"],
  [
    { order: "asc", pinned: false, format: ["online", "both"] },
    "limit=20&order=asc&pinned=false&format=online,both",
  ],
];

Deno.test("null, an empty list and a number in quotes mean what models mean by them", async () => {
  const records = Array.from({ length: 30 }, (_, at) => row({ "Name": `Jam ${at}` }));
  await using foyer = await startFoyer({ records });
  const member = await foyer.createMember();
  await using client = await connectClient(foyer, member.key);
  for (const [args, search] of MEANT) {
    const result = await client.callTool({ name: "list_events", arguments: args });
    const api = await (await foyer.get(`/api/v1/events?${search}`)).json();
    assert.deepEqual(dataOf(result), api, search);
  }
  const written = { urls: `["${PAGE}"]`, text: "true", ids: [], subpages: null };
  await client.callTool({ name: "read_pages", arguments: { ...written } });
  await client.callTool({ name: "read_pages", arguments: { urls: PAGE } });
  await client.callTool({
    name: "web_search",
    arguments: { query: 2026, numResults: "3", type: null },
  });
  const sent = foyer.websearch.requests.map(({ body }) =>
    JSON.parse(new TextDecoder().decode(body))
  );
  assert.deepEqual(sent, [
    { urls: [PAGE], text: "true", ids: [] },
    { urls: [PAGE] },
    { query: "2026", numResults: 3 },
  ]);
});

Deno.test("a schema has its parameters at its root, no reference and no list of types, and asks nothing of a provider", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember();
  await using client = await connectClient(foyer, member.key);
  for (const { name, inputSchema, outputSchema } of (await client.listTools()).tools) {
    assert.equal(inputSchema.type, "object");
    assert.ok(Object.keys(inputSchema.properties ?? {}).length > 0, name);
    // LangChain's adapter keeps one of several alternatives.
    assert.doesNotMatch(JSON.stringify(inputSchema), /"(?:anyOf|oneOf|allOf)":/, name);
    const both = JSON.stringify([inputSchema, outputSchema]);
    assert.doesNotMatch(both, /"\$(?:ref|defs)"|"type":\[/, name);
    const isOwn = [...PUBLIC, "usage"].includes(name);
    assert.equal(outputSchema !== undefined, isOwn, name);
  }
  const templates = await client.listResourceTemplates();
  assert.deepEqual(templates.resourceTemplates, []);
});

Deno.test("a caller without a key sends at most 16 KiB, and a slow body ends with 408", async () => {
  await using foyer = await startFoyer();
  const large = { ...MESSAGE, more: "x".repeat(17_000) };
  assert.equal((await foyer.post("/mcp", null, large, { headers: ACCEPT })).status, 413);
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const slow = fetch(`${foyer.origin}/mcp`, {
    method: "POST",
    headers: { ...ACCEPT, "content-type": "application/json" },
    body: readable,
  });
  await writer.write(new TextEncoder().encode("{"));
  assert.equal((await foyer.limits.lapseDuring(60_000, slow)).status, 408);
  await writer.abort().catch(() => {});
});

Deno.test("an account sends few large messages at a time, and their refusals are slowed by their size", async () => {
  const pauses: number[] = [];
  const sleep = (milliseconds: number) => Promise.resolve(void pauses.push(milliseconds));
  await using foyer = await startFoyer({ sleep });
  const [hostile, other] = [await foyer.createMember(), await foyer.createMember()];
  await using connections = new AsyncDisposableStack();
  const answers: string[] = [];
  for (let count = 0; count < 10; count++) {
    const framing = announced(1024 * 1024);
    const connection = connections.use(
      await beginPost(foyer, "/mcp", hostile.key, [framing], "{"),
    );
    void connection.read(hasAnswer).then((text) => answers.push(text), () => {});
  }
  await until(() => answers.length === 6);
  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n/s);
  const large = { ...DECISION, state: "x".repeat(100_000) };
  await using client = await connectClient(foyer, other.key);
  const decided = await client.callTool({ name: "decide", arguments: large });
  assert.notEqual(decided.isError, true, textOf(decided));
  assert.deepEqual(pauses, []);
  const spaces = { ...MESSAGE, params: { name: "decide", more: "x".repeat(700_000) } };
  for (let count = 0; count < 3; count++) {
    const response = await foyer.post("/mcp", other.key, spaces, { headers: ACCEPT });
    assert.match(await response.text(), /state is required/);
  }
  assert.ok(pauses.length > 0);
});

Deno.test("a page may call the public address from any origin, but by no other name", async () => {
  await using foyer = await startFoyer();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const ask = (host: string, origin: string) => {
    const headers = { ...ACCEPT, "content-type": "application/json", host, origin };
    return foyer.answer("/mcp", { method: "POST", body, headers });
  };
  assert.equal((await ask("foyer.example", "https://app.example")).status, 200);
  const refused = await ask("evil.example", "http://evil.example");
  assert.equal(refused.status, 403);
  assert.match((await refused.json()).error.message, /https:\/\/foyer\.example\/mcp/);
});
