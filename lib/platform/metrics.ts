/**
 * The metrics. Deno exports them if OTEL_DENO is set; otherwise each call does nothing. Deno itself measures the
 * duration of requests by route and status. No attribute names an account.
 */

import { context, createNoopMeter, metrics, propagation } from "@opentelemetry/api";
import { type NanoUsd, toUsd } from "./money.ts";
import { isTraced } from "./log.ts";

const meter = metrics.getMeter("foyer");
/** Whether OpenTelemetry observes anything; each of its parts can be switched off. */
const isObserved = isTraced || meter !== createNoopMeter();

const refused = meter.createCounter("foyer.requests.refused", {
  unit: "{request}",
  description: "Requests refused with an error, by its code",
});
const reserved = meter.createCounter("foyer.spend.reserved", {
  unit: "USD",
  description: "Estimates reserved before forwarding",
});
/** It falls when a response arrives after the sweep and costs less than the sweep charged. */
const settled = meter.createUpDownCounter("foyer.spend.settled", {
  unit: "USD",
  description: "Final costs of requests, by the source of the figure",
});
const suspectCosts = meter.createCounter("foyer.costs.suspect", {
  unit: "{request}",
  description:
    "Requests whose provider stated more than ten times their reservation, or no usable cost",
});
const callDuration = meter.createHistogram("http.client.request.duration", {
  unit: "s",
  description: "From the call of an upstream to the head of its response",
  advice: { explicitBucketBoundaries: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
});

/** Counts a refused request. */
export function countRefused(code: string, route: string | null): void {
  refused.add(1, { "error.type": code, ...(route !== null && { "http.route": route }) });
}

/** Counts a reserved estimate. */
export function countReserved(endpoint: string, amount: NanoUsd): void {
  reserved.add(toUsd(amount), { "foyer.endpoint": endpoint });
}

/** Counts a booked cost, or the correction of one. */
export function countSettled(endpoint: string, cost: NanoUsd, costFrom: string): void {
  settled.add(toUsd(cost), { "foyer.endpoint": endpoint, "foyer.cost.from": costFrom });
}

/** Counts a cost that an operator should check; `kind` is `excessive` or `unusable`. */
export function countSuspectCost(endpoint: string, kind: string): void {
  suspectCosts.add(1, { "foyer.endpoint": endpoint, "foyer.cost.suspicion": kind });
}

/** The `fetch` for upstreams, which times each call and does not forward a caller's `Baggage`. */
export function observedFetch(doFetch: typeof fetch): typeof fetch {
  if (!isObserved) return doFetch;
  return async function fetchObserved(input, init) {
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

/**
 * Registers the gauges, whose values are read at every export; null is unknown. A gauge that cannot be read is
 * omitted: OpenTelemetry would not handle its failure.
 */
export function exportGauges({ serviceSpend, snapshotAgeMilliseconds, outboxDepth }: {
  readonly serviceSpend: () => Promise<NanoUsd | null>;
  readonly snapshotAgeMilliseconds: () => Promise<number | null>;
  readonly outboxDepth: () => Promise<number>;
}): void {
  function observe<T>(
    name: string,
    options: { readonly unit: string; readonly description: string },
    read: () => Promise<T | null>,
    toNumber: (value: T) => number,
  ) {
    meter.createObservableGauge(`foyer.${name}`, options).addCallback(async (result) => {
      const value = await read().catch(() => null);
      if (value !== null) result.observe(toNumber(value));
    });
  }
  const spend = "What all accounts have spent and reserved today (UTC)";
  observe("service.spend", { unit: "USD", description: spend }, serviceSpend, toUsd);
  const age = "Age of the stored events, from the start of their read";
  observe(
    "events.snapshot.age",
    { unit: "s", description: age },
    snapshotAgeMilliseconds,
    (milliseconds) => milliseconds / 1000,
  );
  const depth = "Usage records waiting for ClickHouse, 10,000 at most";
  observe("outbox.depth", { unit: "{record}", description: depth }, outboxDepth, Number);
}
