import type { Context } from "fresh";
import type { State } from "../lib/operate/state.ts";
import { pathOf } from "../lib/platform/address.ts";
import { nothingHere } from "../lib/platform/http/errors.ts";

/** The routes of the desk, and the addresses beside them. */
const DESK = /^\/desk(?:[/.]|$)/;

/**
 * Opens the desk to operators, and gives their requests `state.operator`. For everyone else there is nothing at its
 * addresses, whatever the method, whether or not they have a route.
 */
export function requireOperator(ctx: Context<State>): Response | Promise<Response> {
  // A route's own name is compared, however the request spells its address.
  return DESK.test(ctx.route ?? pathOf(ctx.req.url)) ? admit(ctx) : ctx.next();
}

/** @throws {PublicError} `not_found`, as for an address that does not exist. */
async function admit(ctx: Context<State>): Promise<Response> {
  const { req, state } = ctx;
  const operator = await state.services.signIn?.findOperator(req.headers) ?? null;
  // An operator who signs in next must not meet this response in the browser's cache.
  if (operator === null) throw nothingHere().withHeaders({ "cache-control": "no-store" });
  state.operator = operator;
  state.memberName = operator.account.name;
  return await ctx.next();
}
