/** Handlers by method, completed as HTTP requires: OPTIONS, HEAD, 405 with `Allow`. */

import type { Context } from "fresh";
import { PublicError } from "./errors.ts";

/** A handler of a route. Upstream's own type also returns data for a page's component, which no route here has. */
export type Handler<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** The handlers of a resource; GET also handles HEAD. */
interface Methods<State> {
  readonly GET?: Handler<State>;
  readonly POST?: Handler<State>;
}

/**
 * One handler for all methods of a resource: upstream Fresh responds with 404 to a method that a route lacks, and
 * does not handle OPTIONS. For any other method, the handler throws `method_not_allowed` with `Allow` (RFC 9110,
 * section 15.5.6).
 */
export function methods<State>({ GET, POST }: Methods<State>): Handler<State> {
  const handlers = new Map([["GET", GET], ["HEAD", GET], ["POST", POST]]);
  const allow = [...handlers.keys().filter((name) => handlers.get(name)), "OPTIONS"].join(", ");
  return function handleMethod(ctx) {
    const { method } = ctx.req;
    const handle = handlers.get(method);
    if (handle !== undefined) return handle(ctx);
    if (method === "OPTIONS") return preflight(allow);
    throw methodNotAllowed(method, allow);
  };
}

/**
 * The error for a method that an address does not support.
 *
 * @param allow the supported methods, as the `Allow` header lists them (RFC 9110, section 10.2.1).
 */
export function methodNotAllowed(method: string, allow: string): PublicError {
  return new PublicError("method_not_allowed", `This address does not support ${method}.`, {
    hint: `It supports ${allow}.`,
    headers: { allow },
  });
}

/** The response to OPTIONS, also for scripts of other origins (Fetch standard, CORS-preflight). */
function preflight(allow: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": "*, authorization",
      "access-control-max-age": "86400",
    },
  });
}
