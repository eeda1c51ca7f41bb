/** What a Foyer with OpenTelemetry switched on sends to a receiver. */

import assert from "node:assert/strict";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { PATHS, SEARCH } from "../proxy/door.ts";
import { row } from "../support/foyer.ts";
import { createMemberAt } from "../support/member.ts";
import { type Attributes, startOtlpReceiver } from "../support/otlp_receiver.ts";
import { until } from "../support/until.ts";

const PROGRAM = new URL("../support/serve_foyer.ts", import.meta.url).href;
const API_KEY = "exa-test-91c0";

function serve(
  fetch: (request: Request) => Response | Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => fetch(request));
}

/** Whether all of some attributes are as expected; whole numbers come as texts. */
function has(attributes: Attributes, expected: Attributes): boolean {
  return Object.entries(expected).every(([name, value]) =>
    String(attributes[name]) === String(value)
  );
}

Deno.test("spans, metrics and the log go to an OTLP receiver: the provider's call is the request's child", async () => {
  const folder = await Deno.makeTempDir();
  const kvPath = `${folder}/kv`;
  const { key } = await createMemberAt(kvPath);
  const websearch = createWebsearchStandIn({ now: Date.now, apiKey: API_KEY });
  const store = createAirtableStandIn({
    records: [row({})],
    token: "patTest.secret",
    baseId: "appTest",
    table: "Events",
    now: Date.now,
    origin: "http://store.example",
    signingSecret: "test",
  });
  const upstreams = [serve(websearch.fetch), serve(store.fetch)] as const;
  const [websearchPort, storePort] = upstreams.map(({ addr }) => addr.port);
  await using receiver = startOtlpReceiver();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM],
    env: {
      KV_PATH: kvPath,
      AIRTABLE_API_URL: `http://127.0.0.1:${storePort}`,
      AIRTABLE_TOKEN: "patTest.secret",
      AIRTABLE_BASE_ID: "appTest",
      WEBSEARCH_API_URL: `http://127.0.0.1:${websearchPort}`,
      WEBSEARCH_API_KEY: API_KEY,
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin,
      OTEL_METRIC_EXPORT_INTERVAL: "100",
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_BLRP_SCHEDULE_DELAY: "50",
    },
    stdout: "piped",
  }).spawn();
  try {
    const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const origin = `http://127.0.0.1:${(await output.read()).value?.trim()}`;
    const search = (headers: Record<string, string>) =>
      fetch(`${origin}${PATHS.search}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(SEARCH),
      });
    const baggage = "caller=secret";
    const answer = await search({ authorization: `Bearer ${key}`, baggage });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    const refused = await search({});
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
    const events = await fetch(`${origin}/api/v1/events?limit=1`);
    assert.equal(events.status, 200);
    await events.body?.cancel();

    const requestId = answer.headers.get("x-request-id") ?? "";
    const findSpans = () => {
      const server = receiver.spans.find(({ attributes }) =>
        attributes["foyer.request_id"] === requestId
      );
      const client = receiver.spans.find(({ kind, attributes }) =>
        kind === 3 && attributes["url.full"] === `http://127.0.0.1:${websearchPort}/search`
      );
      return { server, client };
    };
    await until(() => Object.values(findSpans()).every((span) => span !== undefined));
    const { server, client } = findSpans();
    assert.equal(server?.name, `POST ${PATHS.search}`);
    assert.equal(server.kind, 2);
    assert.ok(
      has(server.attributes, { "http.route": PATHS.search, "http.response.status_code": "200" }),
    );
    assert.deepEqual([client?.traceId, client?.parentSpanId], [server.traceId, server.spanId]);
    const [request] = websearch.requests;
    assert.equal(request?.headers["baggage"], undefined);

    const local = { "server.address": "127.0.0.1" };
    const expected: readonly (readonly [string, Attributes, (value: number) => boolean])[] = [
      ["foyer.spend.reserved", { "foyer.endpoint": "search" }, (value) => value === 0.007],
      [
        "foyer.spend.settled",
        { "foyer.endpoint": "search", "foyer.cost.from": "provider" },
        (value) => value === 0.007,
      ],
      [
        "foyer.requests.refused",
        { "error.type": "unauthorized", "http.route": PATHS.search },
        (value) => value === 1,
      ],
      [
        "http.client.request.duration",
        { ...local, "server.port": websearchPort, "http.request.method": "POST" },
        (value) => value === 1,
      ],
      [
        "http.client.request.duration",
        { ...local, "server.port": storePort },
        (value) => value > 0,
      ],
      ["http.server.request.duration", { "http.route": "/api/v1/events" }, (value) => value === 1],
      ["foyer.events.snapshot.age", {}, (value) => value > 0 && value < 300],
      ["foyer.outbox.depth", {}, (value) => value === 1],
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
    await output.cancel();
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await Promise.all(upstreams.map((upstream) => upstream.shutdown()));
    await Deno.remove(folder, { recursive: true });
  }
});
