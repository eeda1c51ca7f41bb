/** `POST /hooks/airtable`: Airtable reports that the table has changed (its webhooks API, "notification delivery"). */

import type { Context } from "fresh";
import { nothingHere } from "../../lib/platform/http/errors.ts";
import { readHookBody } from "../../lib/platform/http/hook.ts";
import type { State } from "../../lib/operate/mod.ts";

export async function handler({ req, state }: Context<State>): Promise<Response> {
  const { airtableHook, events } = state.services;
  const mac = req.headers.get("x-airtable-content-mac");
  if (req.method !== "POST" || airtableHook === null || !airtableHook.isMac(mac)) {
    throw nothingHere();
  }
  const body = await readHookBody(req);
  if (body === null || !await airtableHook.isAuthentic(mac, body)) throw nothingHere();
  await events.notify();
  return new Response(null, { status: 204 });
}
