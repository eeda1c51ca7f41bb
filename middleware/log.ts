import type { Context } from "fresh";
import type { State } from "../lib/state.ts";
import { observeRequest } from "../lib/telemetry/mod.ts";

/** Names the request's span, and logs the request once it is answered. */
export async function logRequest(ctx: Context<State>): Promise<Response> {
  const { req: { method }, route, info, state: { services, requestId, notes } } = ctx;
  const logWhenAnswered = observeRequest(services.log, { requestId, method, route, notes });
  const response = await ctx.next();
  logWhenAnswered(response.status, info);
  return response;
}
