/** The trace of each request: its span's name, and one line in the log. */

import { trace } from "@opentelemetry/api";
import type { Log } from "./log.ts";

/** The facts about a request for its log line, filled in as they become known. */
export interface RequestNotes {
  accountId?: string;
  keyId?: string;
  endpoint?: string;
  /** Resolves when the provider's call is over and the fields below are known. */
  callOver?: Promise<void>;
  costUsd?: string;
  /** The code of Foyer's own error. */
  code?: string;
  /** Why a caller was refused. */
  reason?: string;
  /** The status of the usage record: 499 for a caller who disconnected. */
  status?: number;
  /** Why the response broke off after its head was sent. */
  brokenBy?: Error | "caller";
}

/** The sending of a response. */
interface Sending {
  /** Settles when it is over. Reading this property costs as much as logging a request. */
  readonly completed: Promise<void>;
}

/** A request that has arrived. */
interface Arrival {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of its path; null for a static file or an unknown address. */
  readonly route: string | null;
  readonly notes: RequestNotes;
}

/**
 * Names the request's span after its route, and returns the function that logs the request: once a provider's
 * response has been sent whole, or once the bytes of any other response are ready. Successful requests for static
 * files and health checks are not logged.
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
    function write(): void {
      const { callOver: _, status = answered, ...known } = notes;
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const properties = { requestId, method, route, status, durationMs, ...known };
      if (notes.brokenBy instanceof Error) log.warn("A response broke off.", properties);
      else log.info("Request", properties);
    }
    if (answered < 400 && (route === null || route === "/up")) return;
    const { callOver } = notes;
    if (callOver === undefined) return write();
    // Sending fails when the caller disconnects: not a failure of the service.
    sending.completed.catch(() => {}).then(() => callOver).then(write);
  };
}
