// Runs every stand-in on a loopback port of its own, and says which settings point Foyer at them.

import { createAirtableStandIn } from "./airtable.ts";
import { createDecisionStandIn } from "./decision.ts";
import { createMediaStandIn } from "./media.ts";
import { createOcrStandIn } from "./ocr.ts";
import { createRouterStandIn } from "./router.ts";
import { SAMPLE_COLUMNS, sampleRecords } from "./sample.ts";
import { createWebsearchStandIn } from "./websearch.ts";

/** What is running, and the way to end it. */
export interface Sandbox {
  /** The settings that lead to each stand-in, under their configuration names. */
  readonly env: readonly Readonly<Record<string, string>>[];
  /** Address by name of the stand-in. */
  readonly addresses: Record<string, string>;
  /** Ends every stand-in at once; requests that hang are cut off. */
  shutdown(): Promise<void>;
}

/** A stand-in as the sandbox runs it; `origin` answers once it listens. */
interface StandIn {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly env: (origin: string) => Record<string, string>;
}

type StandInFactory = (origin: () => string) => StandIn;

/** Every stand-in, by name. Each listens one port above the one before it. */
const STAND_INS: Record<string, StandInFactory> = {
  airtable,
  websearch,
  decision,
  router,
  ocr,
  media,
};

/** The first port, unless another is asked for. */
export const DEFAULT_SANDBOX_PORT = 8787;

/** Starts all stand-ins on 127.0.0.1, from `port` upwards; one whose port is taken listens on any that is free. */
export function startSandbox(options: { port?: number } = {}): Sandbox {
  const { port: firstPort = DEFAULT_SANDBOX_PORT } = options;
  const abort = new AbortController();
  const running = Object.entries(STAND_INS).map(([name, create], index) => {
    let origin = "";
    const standIn = create(() => origin);
    const port = firstPort === 0 ? 0 : firstPort + index;
    const server = listen(port, standIn.fetch, abort.signal);
    origin = `http://127.0.0.1:${server.addr.port}`;
    return { name, origin, env: standIn.env(origin), server };
  });

  return {
    env: running.map(({ env }) => env),
    addresses: Object.fromEntries(running.map(({ name, origin }) => [name, origin])),
    async shutdown() {
      abort.abort();
      await Promise.all(running.map(({ server }) => server.finished));
    },
  };
}

function airtable(origin: () => string): StandIn {
  const token = "patSandbox.token";
  const baseId = "appSandboxFoyer01";
  const standIn = createAirtableStandIn({
    records: sampleRecords(),
    columns: SAMPLE_COLUMNS,
    token,
    baseId,
    table: "Events",
    tableId: "tblSandboxEvents1",
    now: Date.now,
    origin,
    // The same in every run, so that addresses handed out before a restart still work. It protects nothing.
    signingSecret: "sandbox",
    rateLimit: true,
  });
  return {
    fetch: standIn.fetch,
    env: (address) => ({
      AIRTABLE_API_URL: address,
      AIRTABLE_TOKEN: token,
      AIRTABLE_BASE_ID: baseId,
    }),
  };
}

function websearch(): StandIn {
  const apiKey = "exa-sandbox-no-secret";
  return {
    fetch: createWebsearchStandIn({ apiKey, now: Date.now }).fetch,
    env: (address) => ({ WEBSEARCH_API_URL: address, WEBSEARCH_API_KEY: apiKey }),
  };
}

function decision(): StandIn {
  const apiKey = "jev-sandbox-no-secret";
  return {
    fetch: createDecisionStandIn({ apiKey, now: Date.now }).fetch,
    env: (address) => ({
      DECISION_API_URL: address,
      DECISION_API_KEY: apiKey,
      DECISION_MODEL_PREFIX: "jev",
    }),
  };
}

function router(): StandIn {
  const apiKey = "router-sandbox-no-secret";
  const managementKey = "router-management-sandbox-no-secret";
  return {
    fetch: createRouterStandIn({ apiKey, managementKey, now: Date.now }).fetch,
    env: (address) => ({
      ROUTER_API_URL: address,
      ROUTER_API_KEY: apiKey,
      ROUTER_MANAGEMENT_KEY: managementKey,
    }),
  };
}

function ocr(): StandIn {
  const apiKey = "ocr-sandbox-no-secret";
  return {
    fetch: createOcrStandIn({ apiKey, now: Date.now }).fetch,
    env: (address) => ({ OCR_API_URL: address, OCR_API_KEY: apiKey }),
  };
}

function media(): StandIn {
  const apiKey = "media-sandbox-no-secret";
  return {
    fetch: createMediaStandIn({ apiKey, now: Date.now }).fetch,
    env: (address) => ({ MEDIA_API_URL: address, MEDIA_API_KEY: apiKey }),
  };
}

function listen(
  port: number,
  handler: (request: Request) => Response | Promise<Response>,
  signal: AbortSignal,
): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname: "127.0.0.1", signal, onListen() {} };
  try {
    return Deno.serve({ ...options, port }, handler);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    return Deno.serve({ ...options, port: 0 }, handler);
  }
}
