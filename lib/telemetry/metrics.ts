/**
 * What is counted and timed. Deno exports it when OTEL_DENO is set; else each call does nothing. The
 * duration of requests, by route and status, Deno measures by itself. No attribute names an account.
 */

import { context, metrics, propagation } from "@opentelemetry/api";
import { type NanoUsd, toUsd } from "../money.ts";

const meter = metrics.getMeter("foyer");

const refused = meter.createCounter("foyer.requests.refused", {
  unit: "{request}",
  description: "Requests that were answered with an error, by its code",
});
const reserved = meter.createCounter("foyer.spend.reserved", {
  unit: "USD",
  description: "Estimates that were set aside before forwarding",
});
/** It goes down when a provider's answer comes after the sweep, and was cheaper. */
const settled = meter.createUpDownCounter("foyer.spend.settled", {
  unit: "USD",
  description: "What requests cost in the end, by where the figure is from",
});
const suspectCosts = meter.createCounter("foyer.costs.suspect", {
  unit: "{request}",
  description:
    "Requests whose provider stated more than ten times their reservation, or no usable cost",
});
const callDuration = meter.createHistogram("http.client.request.duration", {
  unit: "s",
  description: "From a call of an upstream to the head of its answer",
  advice: { explicitBucketBoundaries: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
});
const snapshotAge = meter.createObservableGauge("foyer.events.snapshot.age", {
  unit: "s",
  description: "How long ago the read began that made the stored events",
});
const outboxDepth = meter.createObservableGauge("foyer.outbox.depth", {
  unit: "{page}",
  description: "Pages of usage records that wait for the analytics store, 10,000 at most",
});

/** Counts a request that is answered with an error. */
export function countRefused(code: string, route: string | null): void {
  refused.add(1, { "error.type": code, ...(route !== null && { "http.route": route }) });
}

/** Counts an estimate that was set aside. */
export function countReserved(endpoint: string, amount: NanoUsd): void {
  reserved.add(toUsd(amount), { "foyer.endpoint": endpoint });
}

/** Counts a cost that was booked, or by how much a booked one was corrected. */
export function countSettled(endpoint: string, cost: NanoUsd, costFrom: string): void {
  settled.add(toUsd(cost), { "foyer.endpoint": endpoint, "foyer.cost.from": costFrom });
}

/** Counts a cost that an operator should look at; `kind` is `excessive` or `unusable`. */
export function countSuspectCost(endpoint: string, kind: string): void {
  suspectCosts.add(1, { "foyer.endpoint": endpoint, "foyer.cost.suspicion": kind });
}

/**
 * A `fetch` of upstreams whose calls are timed. What a caller of ours put into `Baggage` goes no further.
 */
export function timedFetch(doFetch: typeof fetch): typeof fetch {
  return async function fetchTimed(input, init) {
    const startedAt = performance.now();
    const record = (outcome: Record<string, string | number>) => {
      const { hostname, port } = new URL(input instanceof Request ? input.url : input);
      callDuration.record((performance.now() - startedAt) / 1000, {
        "http.request.method": init?.method ?? "GET",
        "server.address": hostname,
        ...(port !== "" && { "server.port": Number(port) }),
        ...outcome,
      });
    };
    try {
      const withoutBaggage = propagation.deleteBaggage(context.active());
      const response = await context.with(withoutBaggage, () => doFetch(input, init));
      record({ "http.response.status_code": response.status });
      return response;
    } catch (error) {
      record({ "error.type": error instanceof Error ? error.name : "unknown" });
      throw error;
    }
  };
}

/** What is looked at whenever metrics are exported. Null: not known. */
interface Gauges {
  snapshotAgeMilliseconds(): Promise<number | null>;
  outboxDepth(): Promise<number>;
}

/** Has the gauges read for every export. One that cannot be read is left out: nobody would catch its failure. */
export function exportGauges(gauges: Gauges): void {
  snapshotAge.addCallback(async (result) => {
    const age = await gauges.snapshotAgeMilliseconds().catch(() => null);
    if (age !== null) result.observe(age / 1000);
  });
  outboxDepth.addCallback(async (result) => {
    const depth = await gauges.outboxDepth().catch(() => null);
    if (depth !== null) result.observe(depth);
  });
}
