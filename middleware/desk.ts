import type { Context } from "fresh";
import type { State } from "../lib/operate/mod.ts";
import { nothingHere } from "../lib/platform/http/errors.ts";

/** The routes of the desk, however a request spells their addresses. */
const DESK = /^\/desk(?:[/.]|$)/;

/**
 * Opens the desk to operators, and gives their requests `state.operator`. For everyone else there is nothing at its
 * addresses, whatever the method.
 */
export function requireOperator(ctx: Context<State>): Response | Promise<Response> {
  return ctx.route !== null && DESK.test(ctx.route) ? admit(ctx) : ctx.next();
}

/** @throws {PublicError} `not_found`, as for an address that does not exist. */
async function admit({ req, state, next }: Context<State>): Promise<Response> {
  const operator = await state.services.signIn?.findOperator(req.headers) ?? null;
  if (operator === null) throw nothingHere();
  state.operator = operator;
  state.memberName = operator.account.name;
  return await next();
}
