/** Foyer under trial, as `deno task start` runs it: over a store of events, or before a provider, and its callers. */

import deno from "../deno.json" with { type: "json" };
import { createAccount } from "../lib/accounts/account.ts";
import { createKey } from "../lib/accounts/key.ts";
import { type Server, startServer } from "./server.ts";
import { madeBy } from "../tests/support/made_by.ts";

/** The name of every record store of the bench. */
export const STORE = { token: "patBench.token", baseId: "appBench", table: "Events" } as const;

/** The variables that lead to a record store. */
export function storeEnvironment(origin: string): Record<string, string> {
  return {
    AIRTABLE_API_URL: origin,
    AIRTABLE_TOKEN: STORE.token,
    AIRTABLE_BASE_ID: STORE.baseId,
  };
}

/** The arguments with which `deno task start` of a checkout runs its build. */
function startOf({ tasks: { start } }: typeof deno): string[] {
  return start.command.split(" ").filter((each) =>
    each.startsWith("--") && each !== "--cached-only"
  );
}

/** The arguments of `deno task start`. */
export const START = [...startOf(deno), "serve.ts"];

/** A record store of so many events, whose long texts may have so many more characters. */
export function startStore(events: number, characters = 0): Promise<Server> {
  return startServer((port) => ["bench/store.ts", ...[events, port, characters].map(String)]);
}

/** A provider that answers at once, or after some milliseconds. */
export function startProvider(delayMilliseconds = 0): Promise<Server> {
  return startServer((port) => ["bench/provider.ts", String(port), String(delayMilliseconds)]);
}

/**
 * A Foyer with a database at `path` over a store; `env` adds to its configuration, and with LOOP_HOLD_PORT
 * `loop_hold.ts` watches it. `tree` is the folder of another checkout, which has its own build.
 */
export function startFoyer(
  path: string,
  store: Server,
  env: Readonly<Record<string, string>> = {},
  tree?: string,
): Promise<Server> {
  const program = tree === undefined ? START : [
    ...startOf(JSON.parse(Deno.readTextFileSync(`${tree}/deno.json`))),
    `--config=${tree}/deno.json`,
    `${tree}/serve.ts`,
  ];
  const watched = "LOOP_HOLD_PORT" in env ? ["--preload=bench/loop_hold.ts"] : [];
  return startServer(() => [...watched, ...program], {
    path: "/api/v1/events?limit=1",
    env: (port) => ({
      PORT: String(port),
      HOST: "127.0.0.1",
      KV_PATH: path,
      ...storeEnvironment(store.origin),
      // Nothing asks for the models unless `env` says whence, and the real router is left alone.
      ROUTER_API_URL: store.origin,
      // The longest pause that there may be: what is measured is seldom interrupted.
      EVENTS_REFRESH_SECONDS: "300",
      ...env,
    }),
  });
}

/** A Foyer with a database at `path` before a provider, whose members may do whatever they like. */
export function startProxy(
  path: string,
  provider: Pick<Server, "origin">,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  return startServer(() => START, {
    path: "/proxy/v1/usage",
    env: (port) => ({ ...proxyEnvironment(port, path, provider), ...env }),
  });
}

/** The configuration of {@linkcode startProxy}. */
export function proxyEnvironment(
  port: number,
  path: string,
  provider: Pick<Server, "origin">,
): Record<string, string> {
  return {
    PORT: String(port),
    HOST: "127.0.0.1",
    KV_PATH: path,
    WEBSEARCH_API_URL: provider.origin,
    WEBSEARCH_API_KEY: "bench",
    ROUTER_API_URL: provider.origin,
    RATE_LIMIT_REQUESTS: "1000000000",
    DAILY_LIMIT_USD: "1000000000",
  };
}

/** The headers of a caller with a new key. */
export async function headersOf(
  kv: Deno.Kv,
  accountId: string,
): Promise<Record<string, string>> {
  const asked = { accountId, label: null, expiresAt: null };
  const { text } = await createKey(kv, asked, madeBy(Date.now()));
  return { authorization: `Bearer ${text}` };
}

/** The headers of a new account's caller. */
export async function createCaller(path: string): Promise<Record<string, string>> {
  using kv = await Deno.openKv(path);
  const asked = { name: crypto.randomUUID(), limitNanoUsd: null, verified: true };
  return await headersOf(kv, (await createAccount(kv, asked, madeBy(Date.now()))).id);
}
