import type { Services } from "./services.ts";
import type { RequestNotes } from "./telemetry/mod.ts";

/** The state of a request. The first middleware sets it. */
export interface State {
  services: Services;
  /** Sent as `X-Request-Id`, and part of every log record about the request. */
  requestId: string;
  /** The facts about the request for its log line. */
  notes: RequestNotes;
}
