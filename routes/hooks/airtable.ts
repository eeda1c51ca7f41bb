/** `POST /hooks/airtable`: Airtable reports that the table has changed (its webhooks API, "notification delivery"). */

import type { Context } from "fresh";
import { readShortBody } from "../../lib/platform/http/body.ts";
import { nothingHere, PublicError } from "../../lib/platform/http/errors.ts";
import type { State } from "../../lib/operate/state.ts";

/** A notification has a few hundred bytes and arrives at once: a flood of others takes little memory. */
const [MAX_BYTES, SECONDS] = [4_096, 1];

export async function handler({ req, state }: Context<State>): Promise<Response> {
  const { airtableHook, events } = state.services;
  const mac = req.headers.get("x-airtable-content-mac");
  if (req.method !== "POST" || airtableHook === null || !airtableHook.isMac(mac)) {
    throw nothingHere();
  }
  const body = await readShortBody(req, MAX_BYTES, SECONDS).catch(unlessLate);
  if (body === null || !await airtableHook.isAuthentic(mac, body)) throw nothingHere();
  await events.notify();
  return new Response(null, { status: 204 });
}

/** A body that does not arrive may be a notification, which Airtable sends again after a 503. */
function unlessLate(error: unknown): null {
  if (!(error instanceof PublicError) || error.code !== "request_timeout") return null;
  throw new PublicError("service_unavailable", "The body did not arrive in time.", {
    hint: "Send it again.",
    headers: { "retry-after": "10" },
    cause: error,
  });
}
