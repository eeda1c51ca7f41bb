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
  readonly unit: string;
  readonly attributes: Attributes;
  readonly value: number;
}

/** A line of the log. */
interface ReceivedLog {
  readonly text: string;
  readonly severity: string;
  readonly traceId: string;
}

/** A running receiver and the data that it has received; of points, only those of the last export. */
interface OtlpReceiver extends AsyncDisposable {
  readonly origin: string;
  readonly spans: ReceivedSpan[];
  readonly logs: ReceivedLog[];
  points: readonly ReceivedPoint[];
  /** Every export, unchanged. */
  readonly texts: string[];
}

// The protocol's JSON (opentelemetry-proto 1.x), as far as it is read here.
interface Given {
  name: string;
  attributes: { key: string; value: Record<string, string | number | boolean> }[];
}
interface GivenPoint extends Given {
  asDouble?: number;
  asInt?: number | string;
  count?: number | string;
}
interface GivenMetric {
  name: string;
  unit: string;
  sum?: { dataPoints: GivenPoint[] };
  gauge?: { dataPoints: GivenPoint[] };
  histogram?: { dataPoints: GivenPoint[] };
}
interface GivenLog {
  body: { stringValue: string };
  severityText: string;
  traceId: string;
}
interface Export {
  resourceSpans?: { scopeSpans: { spans: (Omit<ReceivedSpan, "attributes"> & Given)[] }[] }[];
  resourceMetrics?: { scopeMetrics: { metrics: GivenMetric[] }[] }[];
  resourceLogs?: { scopeLogs: { logRecords: GivenLog[] }[] }[];
}

/** Starts a receiver on a loopback port. */
export function startOtlpReceiver(): OtlpReceiver {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const text = await request.text();
      receiver.texts.push(text);
      take(JSON.parse(text));
      return Response.json({});
    },
  );
  const receiver: OtlpReceiver = {
    origin: `http://127.0.0.1:${server.addr.port}`,
    spans: [],
    logs: [],
    points: [],
    texts: [],
    [Symbol.asyncDispose]: () => server.shutdown(),
  };

  function take({ resourceSpans, resourceMetrics, resourceLogs }: Export): void {
    for (const { spans } of resourceSpans?.flatMap(({ scopeSpans }) => scopeSpans) ?? []) {
      receiver.spans.push(
        ...spans.map((span) => ({ ...span, attributes: readAttributes(span) })),
      );
    }
    for (const { logRecords } of resourceLogs?.flatMap(({ scopeLogs }) => scopeLogs) ?? []) {
      receiver.logs.push(...logRecords.map(({ body, severityText, traceId }) => ({
        text: body.stringValue,
        severity: severityText,
        traceId,
      })));
    }
    if (resourceMetrics === undefined) return;
    receiver.points = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .flatMap((metric) => {
        const { dataPoints = [] } = metric.sum ?? metric.gauge ?? metric.histogram ?? {};
        return dataPoints.map((point) => ({
          metric: metric.name,
          unit: metric.unit,
          attributes: readAttributes(point),
          value: Number(point.asDouble ?? point.asInt ?? point.count),
        }));
      });
  }
  return receiver;
}

function readAttributes({ attributes }: Given): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
