// Runs every stand-in on its own loopback port, and returns the settings that point Foyer at them.

import { createMediaStandIn, createOcrStandIn } from "./account.ts";
import { createAirtableStandIn } from "./airtable.ts";
import { createDecisionStandIn } from "./decision.ts";
import { createIdentityStandIn } from "./identity.ts";
import { PEOPLE_RULES } from "./identity_people.ts";
import type { ProviderOptions, ProviderStandIn } from "./provider.ts";
import { createRouterStandIn } from "./router.ts";
import { sampleRecords } from "./sample.ts";
import { untidy } from "./untidy.ts";
import { createWebsearchStandIn } from "./websearch.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** A stand-in as the sandbox runs it, and the settings that lead to it. */
interface StandIn {
  readonly fetch: Handler;
  readonly env: (origin: string) => Record<string, string>;
  /** Ends the work beside the handler. */
  readonly shutdown?: () => Promise<void>;
}

/** Makes each stand-in, by name; `origin` tells its address once it listens. Each has the port above the one before it. */
const STAND_INS: Readonly<Record<string, (origin: () => string) => StandIn>> = {
  airtable,
  websearch: () => provider("WEBSEARCH", "exa-sandbox-no-secret", createWebsearchStandIn),
  decision: () =>
    provider("DECISION", "jev-sandbox-no-secret", createDecisionStandIn, {
      DECISION_MODEL_PREFIX: "jev",
    }),
  router,
  ocr: () => provider("OCR", "ocr-sandbox-no-secret", createOcrStandIn),
  media: () => provider("MEDIA", "media-sandbox-no-secret", createMediaStandIn),
  identity,
};

/** The first port, unless another is asked for. */
const DEFAULT_PORT = 8787;

/** Starts all stand-ins on 127.0.0.1, from `port` upwards; one whose port is taken listens on any that is free. */
export function startSandbox({ port: firstPort = DEFAULT_PORT } = {}) {
  const abort = new AbortController();
  const running = Object.entries(STAND_INS).map(([name, create], index) => {
    let origin = "";
    const standIn = create(() => origin);
    const port = firstPort === 0 ? 0 : firstPort + index;
    const server = listen(port, standIn.fetch, abort.signal);
    origin = `http://127.0.0.1:${server.addr.port}`;
    return { name, origin, env: standIn.env(origin), server, shutdown: standIn.shutdown };
  });

  return {
    /** The settings that lead to each stand-in, under their configuration names. */
    env: running.map(({ env }) => env),
    /** Address by name of the stand-in. */
    addresses: Object.fromEntries(running.map(({ name, origin }) => [name, origin])),
    /** Ends every stand-in at once; requests that hang are cut off. */
    async shutdown(): Promise<void> {
      abort.abort();
      await Promise.all(running.flatMap(({ server, shutdown }) => [server.finished, shutdown?.()]));
    },
  };
}

function airtable(origin: () => string): StandIn {
  const token = "patSandbox.token";
  const baseId = "appSandboxFoyer01";
  const records = untidy(sampleRecords());
  const standIn = createAirtableStandIn({
    records,
    token,
    baseId,
    table: "Events",
    tableId: "tblSandboxEvents1",
    now: Date.now,
    origin,
    // The same in every run, so that addresses handed out before a restart still work. It protects nothing.
    signingSecret: "sandbox",
    // A busy machine starts requests late and together, which is no mistake of the service.
    rateLimit: false,
    deliver: fetch,
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

function router(): StandIn {
  const managementKey = "router-management-sandbox-no-secret";
  return provider(
    "ROUTER",
    "router-sandbox-no-secret",
    (options) => createRouterStandIn({ ...options, managementKey }),
    { ROUTER_MANAGEMENT_KEY: managementKey },
  );
}

/** The provider at which members sign in. The service's rules decide who is admitted. */
function identity(origin: () => string): StandIn {
  const client = { clientId: "foyer-sandbox", clientSecret: "identity-sandbox-no-secret" };
  const standIn = createIdentityStandIn({ ...client, origin, now: Date.now });
  return {
    fetch: standIn.fetch,
    shutdown: standIn.shutdown,
    env: (address) => ({
      SIGN_IN_ISSUER: address,
      SIGN_IN_CLIENT_ID: client.clientId,
      SIGN_IN_CLIENT_SECRET: client.clientSecret,
      ...PEOPLE_RULES,
    }),
  };
}

/** A provider's stand-in: its settings are `{name}_API_URL`, `{name}_API_KEY`, and those of `more`. */
function provider(
  name: string,
  apiKey: string,
  create: (options: ProviderOptions) => ProviderStandIn,
  more: Readonly<Record<string, string>> = {},
): StandIn {
  return {
    fetch: create({ apiKey, now: Date.now }).fetch,
    env: (origin) => ({ [`${name}_API_URL`]: origin, [`${name}_API_KEY`]: apiKey, ...more }),
  };
}

function listen(
  port: number,
  handler: Handler,
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
