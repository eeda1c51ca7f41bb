/** The handlers of routes by method. */

import { methods as handleMethods } from "../../platform/http/methods.ts";
import type { State } from "../state.ts";

/** One handler for all methods of an address, whose requests have this app's state. */
export const methods = handleMethods<State>;
