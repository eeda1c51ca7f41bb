/** What the proxy forwards: the endpoints of every provider in one table. */

import type { Config } from "../config.ts";
import { createDecisionEndpoints } from "./decision.ts";
import type { Endpoint } from "./provider.ts";
import { createWebsearchEndpoints } from "./websearch.ts";

/** Every endpoint by the name that usage records have; no two providers may have one of the same name. */
export function createEndpoints(config: Config) {
  return {
    ...createWebsearchEndpoints(config),
    ...createDecisionEndpoints(config),
  } satisfies Record<string, Endpoint>;
}

/** The name of an endpoint, as routes say it. */
export type EndpointName = keyof ReturnType<typeof createEndpoints>;
