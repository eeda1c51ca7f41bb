/** What is told of each request: its span's name, and one line in the log when it is answered. */

import { trace } from "@opentelemetry/api";
import type { Log } from "./log.ts";

/** What is learnt of a proxied request on its way. */
export interface RequestNotes {
  accountId?: string;
  keyId?: string;
  endpoint?: string;
  /** Resolves when the provider's call is over; what is below is then known. */
  callOver?: Promise<void>;
  costUsd?: string;
  /** The code of an error that is our own. */
  code?: string;
  /** Why a caller was refused. */
  reason?: string;
  /** The status for the books: 499 for a caller who had gone. */
  status?: number;
  /** Why the answer broke off after its head was sent. */
  brokenBy?: Error | "caller";
}

/** How an answer is sent. */
interface Sending {
  /** Settles when it was. To look at it costs as much as to log a request. */
  readonly completed: Promise<void>;
}

/** A request that has arrived. */
interface Arrival {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of its path; null for a static file, and where nothing is. */
  readonly route: string | null;
  readonly notes: RequestNotes;
}

/**
 * Names the request's span after its route, and gives the function that logs the request once it is answered:
 * of a provider's answer all has been sent by then, of any other one only its bytes are ready. Static files
 * and health checks that go well are not logged.
 */
export function observeRequest(log: Log, { requestId, method, route, notes }: Arrival) {
  const startedAt = performance.now();
  const span = trace.getActiveSpan();
  span?.setAttribute("foyer.request_id", requestId);
  if (route !== null) {
    span?.setAttribute("http.route", route);
    span?.updateName(`${method} ${route}`);
  }

  return function logWhenAnswered(answered: number, sending: Sending): void {
    function tell(): void {
      const { callOver: _, status = answered, ...learnt } = notes;
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const properties = { requestId, method, route, status, durationMs, ...learnt };
      if (notes.brokenBy instanceof Error) log.warn("A response broke off.", properties);
      else log.info("Request", properties);
    }
    if (answered < 400 && (route === null || route === "/up")) return;
    const { callOver } = notes;
    if (callOver === undefined) return tell();
    // Sending may fail when the caller goes away, which is no failure of ours.
    sending.completed.catch(() => {}).then(() => callOver).then(tell);
  };
}
