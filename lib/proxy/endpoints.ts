/** The endpoints of all providers in one table. */

import type { Config } from "../config.ts";
import { createDecisionEndpoints } from "./decision.ts";
import type { Endpoint } from "./provider.ts";
import { createWebsearchEndpoints } from "./websearch.ts";

/** All endpoints by their names in usage records, which no two providers may share. */
export function createEndpoints(config: Config) {
  return {
    ...createWebsearchEndpoints(config),
    ...createDecisionEndpoints(config),
  } satisfies Record<string, Endpoint>;
}

/** The name of an endpoint. */
export type EndpointName = keyof ReturnType<typeof createEndpoints>;
