/**
 * The service at its public door: the real app over stand-ins, with a database and a clock of its own. A request
 * comes over a real port, or past the network. Time limits pass only when a test lets them.
 *
 *     await using foyer = await startFoyer({ records: [row({ "Name": "Jam" })] });
 *     foyer.clock.now += 60_000;
 *     assert.equal((await foyer.get("/api/v1/events")).status, 200);
 */

import { Builder } from "fresh/dev";
import freshConfig from "../../fresh.config.ts";
import { createApp } from "../../app.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import type { AirtableStandInOptions } from "../../lib/sandbox/airtable.ts";
import { createDecisionStandIn } from "../../lib/sandbox/decision.ts";
import { createMediaStandIn, createOcrStandIn } from "../../lib/sandbox/account.ts";
import type { ProviderStandIn } from "../../lib/sandbox/provider.ts";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { createRouterStandIn } from "../../lib/sandbox/router.ts";
import { createWebsearchStandIn } from "../../lib/sandbox/websearch.ts";
import { createServices, type ServicePlatform } from "../../lib/operate/services.ts";
import { faultyKv, type Judge } from "./faulty_kv.ts";
import { holdLimits } from "./held_limits.ts";
import { skipPauses } from "./held_pauses.ts";
import { createMember } from "./member.ts";
import { ACCESS, createTable } from "./table.ts";

/** The configured address of the app. */
export const BASE_URL = "https://foyer.example";
/** Noon in UTC, unless a test says otherwise. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");

/** The service's own keys for the providers; no response, error or log may contain one. */
export const PROVIDER_KEYS = {
  websearch: "exa-test-4f9d1c7a2b",
  decision: "typesafe-test-8e3b6d0c5f",
  router: "router-test-5b0e7f3a91",
  management: "router-management-test-77c2d",
  ocr: "ocr-test-c81f6e2d40",
  media: "media-test-19a7d3b5e8",
} as const;

/** The providers' stand-ins, by the names of their keys; `models` is the number of the router's chat models. */
function createStandIns(models: number) {
  const now = Date.now;
  const { management: managementKey } = PROVIDER_KEYS;
  return {
    websearch: createWebsearchStandIn({ now, apiKey: PROVIDER_KEYS.websearch }),
    decision: createDecisionStandIn({ now, apiKey: PROVIDER_KEYS.decision }),
    router: createRouterStandIn({ now, apiKey: PROVIDER_KEYS.router, managementKey, models }),
    ocr: createOcrStandIn({ now, apiKey: PROVIDER_KEYS.ocr }),
    media: createMediaStandIn({ now, apiKey: PROVIDER_KEYS.media }),
  };
}

const attach = await new Builder(freshConfig).build({ snapshot: "memory" });

/** An entry of the log. */
export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A running Foyer, and the parts that a test controls. */
export type Foyer = Awaited<ReturnType<typeof startFoyer>>;

/** Starts a Foyer. `env` overrides the configuration; an undefined value removes a variable. */
export async function startFoyer(
  {
    records = [],
    env = {},
    now = NOON,
    kvPath = ":memory:",
    models = 40,
    airtable = {},
    judge,
    sleep = skipPauses,
    startLimit,
    pictures = null,
    isAtBaseUrl = false,
  }: {
    records?: readonly StandInRecord[];
    env?: Record<string, string | undefined>;
    now?: number;
    kvPath?: string;
    /** The number of the router's chat models. */
    models?: number;
    /** Options of the stand-in for Airtable. */
    airtable?: Partial<AirtableStandInOptions>;
    /** Decides the fate of the service's database operations; without it, all of them work. */
    judge?: Judge;
    sleep?: ServicePlatform["sleep"];
    /** Starts the time limits, unless they are held. */
    startLimit?: ServicePlatform["startLimit"];
    pictures?: ServicePlatform["pictures"];
    /** Whether `BASE_URL` is the address of the server, as a browser needs it. */
    isAtBaseUrl?: boolean;
  } = {},
) {
  const clock = { now };
  const limits = holdLimits();
  const logged: string[] = [];
  const lines: LogLine[] = [];
  const log = (level: LogLine["level"]) => (message: string, properties: object = {}) => {
    logged.push(Deno.inspect([message, properties], { depth: 8 }));
    lines.push({ level, message, properties: { ...properties } });
  };
  const store = createTable({ records, now: () => clock.now, ...airtable });
  const kv = await Deno.openKv(kvPath);
  const standIns = createStandIns(models);
  const providers: Deno.HttpServer[] = [];
  const serve = (provider: ProviderStandIn) => {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => provider.fetch(request),
    );
    providers.push(server);
    return `http://127.0.0.1:${server.addr.port}`;
  };
  // The server listens first, because the configuration may contain its address.
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => answer(request, info),
  );
  const origin = `http://${isAtBaseUrl ? "localhost" : "127.0.0.1"}:${server.addr.port}`;
  const config = parseConfig({
    AIRTABLE_API_URL: ACCESS.apiUrl,
    AIRTABLE_TOKEN: ACCESS.token,
    AIRTABLE_BASE_ID: ACCESS.baseId,
    WEBSEARCH_API_URL: serve(standIns.websearch),
    WEBSEARCH_API_KEY: PROVIDER_KEYS.websearch,
    DECISION_API_URL: serve(standIns.decision),
    DECISION_API_KEY: PROVIDER_KEYS.decision,
    DECISION_MODEL_PREFIX: "jev",
    ROUTER_API_URL: serve(standIns.router),
    ROUTER_API_KEY: PROVIDER_KEYS.router,
    ROUTER_MANAGEMENT_KEY: PROVIDER_KEYS.management,
    OCR_API_URL: serve(standIns.ocr),
    OCR_API_KEY: PROVIDER_KEYS.ocr,
    MEDIA_API_URL: serve(standIns.media),
    MEDIA_API_KEY: PROVIDER_KEYS.media,
    BASE_URL: isAtBaseUrl ? origin : BASE_URL,
    ...env,
  });
  const platform: ServicePlatform = {
    kv: judge === undefined ? kv : faultyKv(kv, judge),
    resolveName: () => Promise.resolve(null),
    pictures,
    fetch: (input, init) =>
      String(input instanceof Request ? input.url : input).startsWith("http://store.example/")
        ? store.substitute(input, init)
        : fetch(input, init),
    now: () => clock.now,
    sleep,
    startLimit: startLimit ?? limits.start,
    log: { info: log("info"), warn: log("warn"), error: log("error") },
  };
  const services = createServices(config, platform);
  const app = createApp(services);
  await attach(app);
  const handle = app.handler();
  const answer: (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> = async (
    request,
    info,
  ) => await handle(request, info);
  const responses: Response[] = [];
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${origin}${path}`, { redirect: "manual", ...init });
    responses.push(response);
    return response;
  };
  return {
    /** Posts JSON (or raw bytes) to a path of the server, with a member's key. */
    post: (path: string, key: string | null, body: unknown, init: RequestInit = {}) =>
      send(path, {
        method: "POST",
        body: body instanceof Uint8Array || typeof body === "string"
          ? body as BodyInit
          : JSON.stringify(body),
        ...init,
        headers: {
          "content-type": "application/json",
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...init.headers as Record<string, string>,
        },
      }),
    /** Creates an account with a key; `limit` is in nano-dollars. */
    createMember: (limit?: bigint) => createMember(kv, limit, clock.now),
    kv,
    ...standIns,
    /** Requests a path of the server, without following redirects. */
    get: send,
    /** Requests a path of {@linkcode BASE_URL}, or of another address, past the network. */
    answer: (path: string, init?: RequestInit, base = BASE_URL) =>
      answer(new Request(`${base}${path}`, init)),
    origin,
    store,
    services,
    /** The log as text, and as the logged values. */
    logged,
    lines,
    clock,
    /** The time limits of the proxy and of the health checks. */
    limits,
    async [Symbol.asyncDispose]() {
      // A test need not end the bodies that it does not read.
      await Promise.allSettled(responses.map(({ body }) => body?.cancel()));
      await server.shutdown();
      await services.ledger.flush();
      await services.refusals.flush();
      await Promise.all(providers.map((provider) => provider.shutdown()));
      kv.close();
    },
  };
}

let made = 0;

/** A row of the store: a valid event unless `fields` says otherwise. */
export function row(
  fields: Record<string, unknown> = {},
  createdTime = "2026-10-01T08:00:00.000Z",
): StandInRecord {
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
