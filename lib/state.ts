/** What every request carries. */

import type { Services } from "./services.ts";

/** The state of a request, set by the root middleware before anything else. */
export interface State {
  services: Services;
  /** Sent as `X-Request-Id`, and written beside everything that is logged of the request. */
  requestId: string;
}
