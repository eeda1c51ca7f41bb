/** What every request carries. */

import type { Services } from "./services.ts";
import type { RequestNotes } from "./telemetry/mod.ts";

/** The state of a request, set by the root middleware before anything else. */
export interface State {
  services: Services;
  /** Sent as `X-Request-Id`, and written beside everything that is logged of the request. */
  requestId: string;
  /** What is learnt of the request on its way, for the line that it gets in the log. */
  notes: RequestNotes;
}
