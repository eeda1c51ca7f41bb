/** The log lines of a start: the configured parts, and the refusals without the others. */

import { type Config, showValue } from "../config/mod.ts";
import type { Log } from "../telemetry/mod.ts";

/**
 * Logs a line for each part, and a warning for each variable that is probably misspelt. No line holds a secret:
 * addresses are cut to their origins, and unused variables are named without their values.
 *
 * @param stray as `listStrayNames` finds them.
 * @param notificationsMistake why notifications that are switched on cannot be used; null if they can, or are off.
 */
export function logStart(
  config: Config,
  stray: readonly { readonly name: string; readonly meant: string }[],
  log: Pick<Log, "info" | "warn">,
  notificationsMistake: string | null = null,
): void {
  if (notificationsMistake !== null) {
    log.warn(`AIRTABLE_NOTIFICATIONS is on, but the events are polled: ${notificationsMistake}`);
  }
  const isNotified = config.AIRTABLE_NOTIFICATIONS === "on" && notificationsMistake === null;
  for (const [part, isConfigured, sentence] of partsOf(config, isNotified)) {
    // A service without a provider is normal; a site without events is probably a mistake.
    const level = part === "events" && !isConfigured ? "warn" : "info";
    log[level](sentence, { part, isConfigured });
  }
  for (const { name, meant } of stray) {
    log.warn(`${name} is set, but nothing reads it: ${meant} is probably meant.`, { name, meant });
  }
}

type Part = [part: string, isConfigured: boolean, sentence: string];

function partsOf(config: Config, isNotified: boolean): Part[] {
  const { WEBSEARCH_API_KEY, DECISION_API_KEY, ROUTER_API_KEY, ANALYTICS_URL } = config;
  const store = eventsStore(config);
  const refused = (path: string) =>
    `Requests to ${path} are refused with 500 (server_misconfigured).`;
  const unwatched = ROUTER_API_KEY === undefined
    ? " Nothing is refused without ROUTER_API_KEY, but /up does not watch the router."
    : "";
  const place = config.ANALYTICS_KV_PATH === undefined
    ? "the service's own database"
    : "the database of ANALYTICS_KV_PATH";
  return [
    [
      "events",
      store !== null,
      store === null
        ? `Events are not configured: ${eventsRemedy(config)}. ` +
          "The events API, the feeds and the pages of events answer 500 (server_misconfigured)."
        : `Events are read from ${store}, ${
          isNotified
            ? "when Airtable tells of a change, and hourly"
            : `every ${config.EVENTS_REFRESH_SECONDS} seconds`
        } while there are requests.`,
    ],
    [
      "web search",
      WEBSEARCH_API_KEY !== undefined,
      WEBSEARCH_API_KEY === undefined
        ? `Web search is not configured: set WEBSEARCH_API_KEY. ${refused("/proxy/v1/websearch/")}`
        : `Web search is configured, at ${originOf(config.WEBSEARCH_API_URL)}.`,
    ],
    [
      "decisions",
      DECISION_API_KEY !== undefined,
      DECISION_API_KEY === undefined
        ? `Decisions are not configured: set DECISION_API_KEY. ${refused("/proxy/v1/decision/")}`
        : `Decisions are configured, at ${originOf(config.DECISION_API_URL)}.`,
    ],
    ["models", true, `Model lists are read from ${originOf(config.ROUTER_API_URL)}.${unwatched}`],
    ...config.SIGN_IN_ISSUER === undefined ? [] : [signInPart(config.SIGN_IN_ISSUER, config)],
    [
      "analytics",
      ANALYTICS_URL !== undefined,
      ANALYTICS_URL === undefined
        ? `Usage records are kept in ${place}, because ANALYTICS_URL is not set. Nothing is refused.`
        : `Usage records go to ClickHouse, at ${originOf(ANALYTICS_URL)}.`,
    ],
    ...platformParts(config),
  ];
}

/** The lines about Deno Deploy, or about a database that Deno may replace; none elsewhere. */
function platformParts({ hosting, BASE_URL, baseUrlFrom }: Config): Part[] {
  const address = {
    variable: `Links use ${BASE_URL}, from BASE_URL.`,
    platform: `BASE_URL is not set: links use production's own address, ${BASE_URL}.`,
    request: `BASE_URL is not set, and this is the timeline ${hosting.timeline}: ` +
      "the links of a response use the host of its request.",
    default: `BASE_URL is not set, and the platform does not name the app: links use ${BASE_URL}.`,
  }[baseUrlFrom];
  return [
    ...(hosting.isDenoDeploy
      ? [["address", baseUrlFrom !== "default", address] satisfies Part]
      : []),
    ...(hosting.needsProof
      ? [
        [
          "database",
          true,
          "The database may be a temporary one: the proxy is off until it holds an account.",
        ] satisfies Part,
      ]
      : []),
  ];
}

function signInPart(
  issuer: string,
  { SIGN_IN_ADMIT, BASE_URL }: Config,
): [part: string, isConfigured: boolean, sentence: string] {
  const who = SIGN_IN_ADMIT === undefined
    ? "every person whom it admits gets an account"
    : "SIGN_IN_ADMIT says who gets an account";
  return [
    "sign-in",
    true,
    `Members sign in at ${originOf(issuer)}, and ${who}. Register there the redirect address ` +
    `${originOf(BASE_URL)}/account/callback.`,
  ];
}

/** The event store in words; null if it is not configured. */
function eventsStore(config: Config): string | null {
  if (config.EVENTS_STORE === "file") return named("the file", config.EVENTS_FILE);
  if (config.AIRTABLE_TOKEN === undefined || config.AIRTABLE_BASE_ID === undefined) return null;
  const airtable = `Airtable (${originOf(config.AIRTABLE_API_URL)})`;
  const place = named(`${airtable}, table`, config.AIRTABLE_TABLE);
  return config.AIRTABLE_VIEW === undefined ? place : named(`${place}, view`, config.AIRTABLE_VIEW);
}

function eventsRemedy({ AIRTABLE_TOKEN, AIRTABLE_BASE_ID, EVENTS_FILE }: Config): string {
  // The store is Airtable: a file store without a file is a configuration error.
  if (AIRTABLE_TOKEN !== undefined) return "set AIRTABLE_BASE_ID";
  if (AIRTABLE_BASE_ID !== undefined) return "set AIRTABLE_TOKEN";
  if (EVENTS_FILE !== undefined) return "set EVENTS_STORE=file to read EVENTS_FILE";
  return "set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_STORE=file and EVENTS_FILE";
}

/** A path may hold a secret. */
function originOf(address: string): string {
  return new URL(address).origin;
}

function named(what: string, name: string | undefined): string {
  const shown = name === undefined ? null : showValue(name);
  return shown === null ? what : `${what} ${shown}`;
}
