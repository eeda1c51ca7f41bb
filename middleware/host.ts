import type { Context } from "fresh";
import { requireHost } from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";

/** Refuses a malformed `Host` with 400, see {@linkcode requireHost}. */
export function checkHost(ctx: Context<State>): Promise<Response> {
  requireHost(ctx.req);
  return ctx.next();
}
