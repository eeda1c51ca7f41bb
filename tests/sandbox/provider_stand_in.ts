// A provider's stand-in on a port of its own, and the requests that tests make of it.

import type { ProviderOptions, ProviderStandIn } from "../../lib/sandbox/provider.ts";

const KEY = "key.test";

/** A served stand-in; the server ends with the scope. */
interface Served<StandIn extends ProviderStandIn = ProviderStandIn> extends AsyncDisposable {
  readonly standIn: StandIn;
  readonly origin: string;
  /** A POST of JSON with the valid key; `init` overrides. */
  ask(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/** Serves a stand-in whose clock stands still. */
export function serve<StandIn extends ProviderStandIn>(
  create: (options: ProviderOptions) => StandIn,
): Served<StandIn> {
  const standIn = create({ apiKey: KEY, now: () => Date.parse("2026-11-20T12:00:00Z") });
  const abort = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: abort.signal, onListen() {} },
    standIn.fetch,
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    standIn,
    origin,
    ask: (path, body, init) =>
      fetch(origin + path, {
        method: "POST",
        body: JSON.stringify(body),
        ...init,
        headers: { Authorization: `Bearer ${KEY}`, ...init?.headers },
      }),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await server.finished;
    },
  };
}
