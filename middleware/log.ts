import type { Context } from "fresh";
import type { State } from "../lib/operate/mod.ts";
import { activeSpan } from "../lib/platform/log.ts";

/**
 * Names the request's span after its route, and logs the request: once its response is ready, or for a provider's
 * call once that is over, which for a stream is the end of the response. Successful requests for static files and health checks
 * are not logged.
 */
export async function logRequest(ctx: Context<State>): Promise<Response> {
  const { req: { method }, route, state: { services: { log }, requestId, notes } } = ctx;
  const startedAt = performance.now();
  const span = activeSpan();
  span?.setAttribute("foyer.request_id", requestId);
  if (route !== null) {
    span?.setAttribute("http.route", route);
    span?.updateName(`${method} ${route}`);
  }
  const response = await ctx.next();
  const answered = response.status;
  if (answered < 400 && (route === null || route === "/up")) return response;

  function write(): void {
    const { callOver: _, status = answered, ...known } = notes;
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const properties = { requestId, method, route, status, durationMs, ...known };
    if (notes.brokenBy instanceof Error) log.warn("A response was cut off.", properties);
    else log.info("Request", properties);
  }
  const { callOver } = notes;
  if (callOver === undefined) write();
  else callOver.then(write);
  return response;
}
