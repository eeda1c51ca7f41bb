import type { Context } from "fresh";
import { COMMON_HEADERS, setHeaders } from "../lib/platform/http/representation.ts";
import { activeSpan } from "../lib/platform/log.ts";
import { securePage } from "../components/shared/policy.ts";
import type { State } from "../lib/operate/state.ts";
import { answerError } from "./errors.tsx";

/**
 * Completes every response: answers errors, sets the headers that all responses have, takes the body from one to HEAD,
 * and logs the request. The framework builds its own error pages outside all middleware, so those would lack all this.
 */
export async function answerRequest(ctx: Context<State>): Promise<Response> {
  const startedAt = performance.now();
  const { route, state: { requestId, services: { config } } } = ctx;
  const { method } = ctx.req;
  const span = activeSpan();
  span?.setAttribute("foyer.request_id", requestId);
  if (route !== null) {
    span?.setAttribute("http.route", route);
    span?.updateName(`${method} ${route}`);
  }
  let response: Response;
  try {
    response = await ctx.next();
  } catch (thrown) {
    response = await answerError(ctx, thrown);
  }
  // A response of `createResponse` has the common headers already; if it is a page, it also has its policy.
  if (!response.headers.has("access-control-allow-origin")) {
    response = await securePage(response, config.BASE_URL, ctx.state.site);
    setHeaders(response, COMMON_HEADERS);
  }
  response.headers.set("x-request-id", requestId);
  if (method === "HEAD") response = await withoutBody(response);
  logRequest(ctx, response.status, startedAt);
  return response;
}

/** A response with the headers of GET, including `Content-Length`: Deno would send 0 (RFC 9110, section 8.6). */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers, body } = response;
  if (body === null) return response;
  if (headers.has("content-length")) await body.cancel();
  else headers.set("content-length", String((await response.bytes()).length));
  return new Response(null, { status, headers });
}

/**
 * Logs a request once its response is ready, or for a provider's call once that is over, which for a stream is the end
 * of the response. Successful requests for static files and health checks are not logged.
 */
function logRequest(
  { req: { method }, route, state: { services: { log }, requestId, notes } }: Context<State>,
  answered: number,
  startedAt: number,
): void {
  if (answered < 400 && (route === null || route === "/up")) return;
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
}
