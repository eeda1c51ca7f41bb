/** The handlers of routes by method. */

import { methods as handleMethods } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";

/** One handler for all methods of an address, whose requests have this app's state. */
export const methods = handleMethods<State>;
