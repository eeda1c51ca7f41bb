/**
 * `POST /hooks/events/refresh`: a program with the secret of EVENTS_REFRESH_SECRET asks for a read of the events, such
 * as an automation in Airtable. It gets 202: the read follows, together with other changes.
 */

import type { Context } from "fresh";
import { hasSecret, nothingHere } from "../../../lib/http/mod.ts";
import type { State } from "../../../lib/service/mod.ts";

export async function handler({ req, state }: Context<State>): Promise<Response> {
  const { config: { EVENTS_REFRESH_SECRET: secret }, events } = state.services;
  if (req.method !== "POST" || secret === undefined || !hasSecret(req, secret)) throw nothingHere();
  await events.notify();
  return new Response(null, { status: 202 });
}
