// A provider's stand-in on a port of its own, and the requests that tests make of it.

import type {
  ProviderFault,
  ProviderOptions,
  ProviderStandIn,
} from "../../lib/sandbox/provider.ts";

/** The key that the tests' stand-ins accept. */
export const KEY = "key.test";

/** A served stand-in; the server ends with the scope. */
export interface Served<StandIn extends ProviderStandIn = ProviderStandIn> extends AsyncDisposable {
  readonly standIn: StandIn;
  readonly origin: string;
  /** A POST of JSON with the valid key; `init` overrides. */
  ask(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/** Serves a stand-in whose clock stands still, and whose next responses have these faults. */
export function serve<StandIn extends ProviderStandIn>(
  create: (options: ProviderOptions) => StandIn,
  ...faults: ProviderFault[]
): Served<StandIn> {
  const standIn = create({ apiKey: KEY, now: () => Date.parse("2026-11-20T12:00:00Z") });
  standIn.faults.push(...faults);
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

/** The JSON of each event of a stream that has ended. */
// deno-lint-ignore no-explicit-any -- tests compare what they read
export function eventsOf(text: string): any[] {
  return text.split("\n\n").filter((frame) => frame !== "").map((frame) => {
    if (!frame.startsWith("data: ")) throw new Error(`No data: ${frame}`);
    return JSON.parse(frame.slice("data: ".length));
  });
}
