/** The official client of the Model Context Protocol, connected to a running Foyer. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Foyer } from "./foyer.ts";

/** The two eras of the protocol: with a handshake, and with the client's facts in each message. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;

/** Connects a client; with a member's key, if one is given. */
export async function connectClient(
  { origin }: Pick<Foyer, "origin">,
  key: string | null = null,
  era: typeof ERAS[number] = "2026-07-28",
) {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy" as const;
  const info = { name: "test", version: "1" };
  const client = new Client(info, { versionNegotiation: { mode } });
  const headers: HeadersInit = key === null ? {} : { authorization: `Bearer ${key}` };
  const address = new URL("/mcp", origin);
  // Once the head of a response is there, Deno 2.9.6 forgets the signal of its fetch at the next collection.
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const signal = init?.signal;
    if (response.body === null || !signal) return response;
    return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
  };
  const options = { requestInit: { headers }, fetch };
  await client.connect(new StreamableHTTPClientTransport(address, options));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
