import type { Context } from "fresh";
import { databaseDown, PublicError } from "../lib/platform/http/errors.ts";
import type { State } from "../lib/operate/state.ts";

/** The routes that charge, and those at which a member's sign-in creates an account. */
const NEEDING = /^\/(?:proxy\/|mcp$|account\/(?:sign-in|callback)$)/;

/**
 * Refuses requests to the proxy, and sign-in, while the database is not known to last: their data would be lost with
 * the isolate, and an account would count as the proof. All other requests are served, because their data can be made
 * again.
 */
export function requireDatabase(ctx: Context<State>): Response | Promise<Response> {
  const { route, req: { method, headers }, state: { services } } = ctx;
  const needsDatabase = route !== null && NEEDING.test(route) && method !== "OPTIONS" &&
    (route !== "/mcp" || hasKey(headers)) &&
    (services.signIn !== null || !route.startsWith("/account"));
  if (!needsDatabase) return ctx.next();
  const isLasting = services.isDatabaseLasting();
  return isLasting === true ? ctx.next() : refuseUnless(isLasting, ctx);
}

/** Whether a message may charge an account. */
function hasKey(headers: Headers): boolean {
  return headers.has("authorization") || headers.has("x-api-key");
}

/** @throws {PublicError} `server_misconfigured`, or `service_unavailable` if the database does not respond. */
async function refuseUnless(
  isLasting: false | Promise<boolean>,
  ctx: Context<State>,
): Promise<Response> {
  const isProven = await Promise.resolve(isLasting).catch((cause) => {
    throw databaseDown(cause, {
      hint: "Nothing was forwarded or charged. Try again soon.",
      seconds: 5,
    });
  });
  if (isProven) return await ctx.next();
  throw new PublicError(
    "server_misconfigured",
    "This part of the service is off: there is no proof that the app has a database that lasts.",
    {
      hint:
        "The operator must assign a Deno KV database to the app, and create the first account " +
        "with `deno task accounts create` from another machine.",
    },
  );
}
