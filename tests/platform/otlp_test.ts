/** The exports of a Foyer with OpenTelemetry switched on. */

import assert from "node:assert/strict";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { DECISION, PATHS, SEARCH } from "../proxy/proxy.ts";
import { row } from "../support/foyer.ts";
import { startProcess } from "../support/foyer_process.ts";
import { createMemberAt } from "../support/member.ts";
import { type Attributes, type ReceivedSpan, startOtlpReceiver } from "./otlp_receiver.ts";
import { createTable } from "../support/table.ts";
import { until } from "../support/until.ts";

const API_KEY = "exa-test-91c0";
const DECISION_KEY = "typesafe-test-91c1";
const ROUTER_KEY = "router-test-91c2";
const TOKEN = "patTest.secret91c3";

/** Whether all of some attributes are as expected; whole numbers come as texts. */
function has(attributes: Attributes, expected: Attributes): boolean {
  return Object.entries(expected).every(([name, value]) =>
    String(attributes[name]) === String(value)
  );
}

type ExportingFoyer = Awaited<ReturnType<typeof startExportingFoyer>>;

/** A Foyer in a process of its own that exports its telemetry to a receiver. */
async function startExportingFoyer() {
  const folder = await Deno.makeTempDir();
  const kvPath = `${folder}/kv`;
  const { key } = await createMemberAt(kvPath);
  const websearch = createWebsearchStandIn({ now: Date.now, apiKey: API_KEY });
  const decision = createDecisionStandIn({ now: Date.now, apiKey: DECISION_KEY });
  const store = createTable({ records: [row({})], token: TOKEN });
  const upstreams = [websearch, decision, store].map(({ fetch }) =>
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => fetch(request))
  );
  const [websearchPort, decisionPort, storePort] = upstreams.map(({ addr }) => addr.port);
  const receiver = startOtlpReceiver();
  const { origin, kill } = await startProcess("serve_foyer.ts", {
    KV_PATH: kvPath,
    AIRTABLE_API_URL: `http://127.0.0.1:${storePort}`,
    AIRTABLE_TOKEN: TOKEN,
    AIRTABLE_BASE_ID: "appTest",
    WEBSEARCH_API_URL: `http://127.0.0.1:${websearchPort}`,
    WEBSEARCH_API_KEY: API_KEY,
    DECISION_API_URL: `http://127.0.0.1:${decisionPort}`,
    DECISION_API_KEY: DECISION_KEY,
    // No server listens there, so that failures are exported too, and usage records wait.
    ANALYTICS_URL: "http://127.0.0.1:9",
    ROUTER_API_URL: "http://127.0.0.1:9",
    ROUTER_API_KEY: ROUTER_KEY,
    SERVICE_DAILY_LIMIT_USD: "100",
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
    OTEL_METRIC_EXPORT_INTERVAL: "100",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_BLRP_SCHEDULE_DELAY: "50",
  });
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  return {
    origin,
    key,
    websearch,
    websearchPort,
    storePort,
    receiver,
    post,
    async [Symbol.asyncDispose]() {
      await kill();
      await Promise.all(upstreams.map((upstream) => upstream.shutdown()));
      await receiver[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function exportsAll(foyer: ExportingFoyer): Promise<void> {
  const { origin, key, websearch, websearchPort, storePort, receiver } = foyer;
  const search = (headers: Record<string, string>) =>
    foyer.post(PATHS.search, JSON.stringify(SEARCH), headers);
  const baggage = "caller=secret";
  const answer = await search({ authorization: `Bearer ${key}`, baggage });
  const others = [await search({}), await fetch(`${origin}/api/v1/events?limit=1`)];
  assert.deepEqual([answer, ...others].map(({ status }) => status), [200, 401, 200]);
  for (const { body } of [answer, ...others]) await body?.cancel();

  const requestId = answer.headers.get("x-request-id") ?? "";
  const parentOf = ({ parentSpanId }: ReceivedSpan) =>
    receiver.spans.find(({ spanId }) => spanId === parentSpanId);
  /** The server's span above a span; a runtime may have spans of its own between the two. */
  const serverOf = (span: ReceivedSpan | undefined): ReceivedSpan | undefined =>
    span === undefined || span.kind === 2 ? span : serverOf(parentOf(span));
  const findServers = () => [
    serverOf(receiver.spans.find(({ attributes }) => attributes["foyer.request_id"] === requestId)),
    serverOf(
      receiver.spans.find(({ kind, attributes }) =>
        kind === 3 && attributes["url.full"] === `http://127.0.0.1:${websearchPort}/search`
      ),
    ),
  ];
  await until(() => findServers().every((span) => span !== undefined));
  const [server, serverOfCall] = findServers();
  assert.equal(server, serverOfCall);
  assert.equal(server?.name, `POST ${PATHS.search}`);
  assert.ok(
    has(server.attributes, { "http.route": PATHS.search, "http.response.status_code": "200" }),
  );
  const [request] = websearch.requests;
  assert.equal(request?.headers["baggage"], undefined);

  websearch.faults.push({ kind: "cost", text: "-1" });
  await (await search({ "x-api-key": key })).body?.cancel();
  const local = { "server.address": "127.0.0.1" };
  const ofSearch = { "foyer.endpoint": "search" };
  const toSearch = { ...local, "server.port": websearchPort, "http.request.method": "POST" };
  const refusal = { "error.type": "unauthorized", "http.route": PATHS.search };
  const called = "http.client.request.duration";
  const expected: readonly (readonly [string, Attributes, (value: number) => boolean])[] = [
    ["foyer.spend.reserved", ofSearch, (value) => value === 0.014],
    ["foyer.costs.suspect", ofSearch, (value) => value === 1],
    [
      "foyer.spend.settled",
      { ...ofSearch, "foyer.cost.from": "provider" },
      (value) => value === 0.007,
    ],
    ["foyer.requests.refused", refusal, (value) => value === 1],
    [called, toSearch, (value) => value === 2],
    [called, { ...local, "server.port": storePort }, (value) => value > 0],
    ["http.server.request.duration", { "http.route": "/api/v1/events" }, (value) => value === 1],
    ["foyer.events.snapshot.age", {}, (value) => value > 0 && value < 300],
    ["foyer.outbox.depth", {}, (value) => value === 2],
    ["foyer.service.spend", {}, (value) => value > 0],
  ];
  for (const [metric, attributes, isRight] of expected) {
    await until(() =>
      receiver.points.some((point) =>
        point.metric === metric && isRight(point.value) && has(point.attributes, attributes)
      )
    ).catch((cause) => {
      throw new Error(`${metric}: ${Deno.inspect(receiver.points)}`, { cause });
    });
  }
  const accountIds = receiver.points.filter(({ attributes }) =>
    JSON.stringify(attributes).includes("acc_")
  );
  assert.deepEqual(accountIds, []);

  const lineOf = () =>
    receiver.logs.find(({ text }) => text.includes(requestId) && text.includes("durationMs"));
  await until(() => lineOf() !== undefined);
  assert.equal(lineOf()?.severity, "INFO");
  assert.equal(lineOf()?.traceId, server.traceId);
  assert.equal(JSON.parse(lineOf()?.text ?? "").properties.traceId, server.traceId);
}

async function keepsNoTrace(foyer: ExportingFoyer): Promise<void> {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, accept: "text/html" };
  for (const path of ["/", "/docs/operate", "/nothing"]) {
    const html = await (await fetch(foyer.origin + path, { headers })).text();
    assert.match(html, /^<!DOCTYPE html>/);
    assert.doesNotMatch(html, new RegExp(`${traceId}|name="traceparent"`), path);
  }
  await until(() => foyer.receiver.spans.some((span) => span.traceId === traceId));
}

async function tellsNoSecret(foyer: ExportingFoyer): Promise<void> {
  const { origin, key, post, receiver } = foyer;
  const bearer = { authorization: `Bearer ${key}`, cookie: "told=canary-cookie" };
  const query = "canary-query";
  const answers = [
    await post(PATHS.search, JSON.stringify({ query }), { ...bearer, baggage: "a=canary-baggage" }),
    await post(PATHS.answer, JSON.stringify({ query, stream: true }), { "x-api-key": key }),
    await post(PATHS.decision, JSON.stringify(DECISION), bearer),
    await post(PATHS.decision, `{"state": "canary-state", "questions": 7}`, bearer),
    await post(PATHS.search, "canary-body {", bearer),
    await post(PATHS.search, "{}", { authorization: "Bearer canary-key" }),
    await post("/proxy/v1/usage", "{}", { ...bearer, "x-told": "canary-header" }),
    await fetch(`${origin}/proxy/v1/models`),
    await fetch(`${origin}/up`),
  ];
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  const statuses = [200, 200, 200, 422, 400, 401, 405, 502, 503];
  assert.deepEqual(answers.map(({ status }) => status), statuses);
  // The provider's fault concerns the caller too.
  const [found] = JSON.parse(texts[0] ?? "").results;
  const told = () => receiver.texts.join("\n");
  await until(() =>
    answers.every(({ headers }) => {
      const id = headers.get("x-request-id") ?? "";
      return receiver.spans.some(({ attributes }) => attributes["foyer.request_id"] === id);
    }) && receiver.logs.some(({ text }) => text.includes("/proxy/v1/models")) &&
    receiver.points.length > 0
  );
  const secret = key.slice(-38, -6);
  for (const hidden of [secret, API_KEY, DECISION_KEY, ROUTER_KEY, TOKEN, "canary", found.title]) {
    assert.ok(!told().includes(hidden), hidden);
  }
}

Deno.test("a Foyer with OpenTelemetry", async (t) => {
  await using foyer = await startExportingFoyer();
  const steps = {
    "exports spans, metrics and the log; the provider's call is the request's child": exportsAll,
    "keeps no page with anything of the trace of its first visitor": keepsNoTrace,
    "exports no key, and no part of a request's or a response's body": tellsNoSecret,
  };
  for (const [name, run] of Object.entries(steps)) await t.step(name, () => run(foyer));
});
