/** A receiver of OpenTelemetry's protocol (OTLP over HTTP, as JSON) that keeps the exports. */

/** Attributes by name. Whole numbers come as strings. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The members of a span that tests examine. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly attributes: Attributes;
}

/** A point of a metric: the sum of a counter, the value of a gauge, or the count of a histogram. */
interface ReceivedPoint {
  readonly metric: string;
  readonly attributes: Attributes;
  readonly value: number;
}

// The protocol's JSON (opentelemetry-proto 1.x) is not described here: a test that reads what is not there fails.
// deno-lint-ignore no-explicit-any
type Given = any;

/** Starts a receiver on a loopback port. Of points, it keeps only those of the last export. */
export function startOtlpReceiver() {
  const received = {
    spans: [] as ReceivedSpan[],
    logs: [] as { text: string; severity: string; traceId: string }[],
    points: [] as ReceivedPoint[],
    /** Every export, unchanged. */
    texts: [] as string[],
  };
  function take({ resourceSpans = [], resourceMetrics, resourceLogs = [] }: Given): void {
    const inside = (resources: Given[], scopes: string, members: string): Given[] =>
      resources.flatMap((resource) => resource[scopes]).flatMap((scope) => scope[members]);
    for (const span of inside(resourceSpans, "scopeSpans", "spans")) {
      received.spans.push({ ...span, attributes: readAttributes(span) });
    }
    for (const { body, severityText, traceId } of inside(resourceLogs, "scopeLogs", "logRecords")) {
      received.logs.push({ text: body.stringValue, severity: severityText, traceId });
    }
    if (resourceMetrics === undefined) return;
    received.points = inside(resourceMetrics, "scopeMetrics", "metrics").flatMap((metric) =>
      (metric.sum ?? metric.gauge ?? metric.histogram).dataPoints.map((point: Given) => ({
        metric: metric.name,
        attributes: readAttributes(point),
        value: Number(point.asDouble ?? point.asInt ?? point.count),
      }))
    );
  }
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const text = await request.text();
    received.texts.push(text);
    take(JSON.parse(text));
    return Response.json({});
  });
  return Object.assign(received, {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

function readAttributes({ attributes }: Given): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value }: Given) => [key, Object.values(value)[0]]),
  );
}
