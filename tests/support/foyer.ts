/** A whole Foyer for tests: the real app on a real port, over a stand-in store and a clock of its own. */

import { Builder } from "fresh/dev";
import freshConfig from "../../fresh.config.ts";
import { createApp } from "../../app.tsx";
import { parseConfig } from "../../lib/config.ts";
import { createAirtableStandIn } from "../../lib/sandbox/airtable.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { createServices, type Services } from "../../lib/services.ts";

/** The address that the app believes to have. */
export const BASE_URL = "https://foyer.example";
/** Noon in UTC, unless a test says otherwise. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");

const attach = await new Builder(freshConfig).build({ snapshot: "memory" });

/** A running Foyer and what a test moves. */
export interface Foyer extends AsyncDisposable {
  /** Requests a path of the server, without following redirects. */
  get(path: string, init?: RequestInit): Promise<Response>;
  readonly origin: string;
  readonly store: ReturnType<typeof createAirtableStandIn>;
  readonly services: Services;
  readonly logged: string[];
  clock: { now: number };
}

/** Starts one. `env` overrides the configuration; an undefined value takes a variable away. */
export async function startFoyer(
  { records, env = {}, now = NOON }: {
    records: readonly StandInRecord[];
    env?: Record<string, string | undefined>;
    now?: number;
  },
): Promise<Foyer> {
  const clock = { now };
  const logged: string[] = [];
  const log = (...parts: unknown[]) => void logged.push(Deno.inspect(parts, { depth: 8 }));
  const store = createAirtableStandIn({
    records,
    token: "patTest.secret",
    baseId: "appTest",
    table: "Events",
    now: () => clock.now,
    origin: "http://store.example",
    signingSecret: "test",
  });
  const kv = await Deno.openKv(":memory:");
  const config = parseConfig({
    AIRTABLE_TOKEN: "patTest.secret",
    AIRTABLE_BASE_ID: "appTest",
    BASE_URL,
    ...env,
  });
  const services = createServices(config, {
    kv,
    fetch: store.substitute,
    now: () => clock.now,
    // Pauses between pages take no time; giving up takes for ever.
    sleep: (milliseconds) => milliseconds < 1_000 ? Promise.resolve() : new Promise(() => {}),
    log: { info: log, warn: log, error: log },
  });
  const app = createApp(services);
  await attach(app);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler());
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    get: (path, init) => fetch(`${origin}${path}`, { redirect: "manual", ...init }),
    origin,
    store,
    services,
    logged,
    clock,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      kv.close();
    },
  };
}

let made = 0;

/** A row of the store: a valid event unless `fields` says otherwise. */
export function row(fields: Record<string, unknown>, createdTime = "2026-10-01T08:00:00.000Z") {
  const id = String(fields["id"] ?? `rec${String(++made).padStart(14, "0")}`);
  const { id: _id, ...cells } = fields;
  return {
    id,
    createdTime,
    fields: {
      "Name": `Event ${id}`,
      "Start Date": "2026-12-01",
      "End Date": "2026-12-02",
      ...cells,
    },
  };
}
