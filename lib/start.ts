/** What a start says into the log: what the service has been given, and what it refuses without the rest. */

import { type Config, showValue } from "./config.ts";
import type { Log } from "./telemetry/mod.ts";

/** One part of the service as it starts. */
interface Part {
  readonly part: "events" | "web search" | "decisions" | "models" | "analytics";
  readonly isConfigured: boolean;
  readonly sentence: string;
}

/**
 * Logs a line for each part, and a warning for each variable that is probably misspelt. No line holds a
 * secret: addresses are cut to their origins, and of variables that nothing reads only the names are told.
 *
 * @param stray as `listStrayNames` finds them.
 */
export function logStart(
  config: Config,
  stray: readonly { readonly name: string; readonly meant: string }[],
  log: Pick<Log, "info" | "warn">,
): void {
  const parts = [events, websearch, decisions, models, analytics].map((describe) =>
    describe(config)
  );
  for (const { part, isConfigured, sentence } of parts) {
    // A service may well go without a provider; a site without events is hardly meant.
    const level = part === "events" && !isConfigured ? "warn" : "info";
    log[level](sentence, { part, isConfigured });
  }
  for (const { name, meant } of stray) {
    log.warn(`${name} is set, but nothing reads it: ${meant} is probably meant.`, { name, meant });
  }
}

function events(config: Config): Part {
  const where = eventsStore(config);
  const sentence = where === null
    ? `Events are not configured: ${
      eventsRemedy(config)
    }. The events API, the feeds and the pages ` +
      "of events answer 500 (server_misconfigured)."
    : `Events are read from ${where}, every ${config.EVENTS_REFRESH_SECONDS} seconds.`;
  return { part: "events", isConfigured: where !== null, sentence };
}

/** The store of the events in words; null while it lacks what it needs. */
function eventsStore(config: Config): string | null {
  if (config.EVENTS_STORE === "file") return named("the file", config.EVENTS_FILE);
  if (config.AIRTABLE_TOKEN === undefined || config.AIRTABLE_BASE_ID === undefined) return null;
  const place = named(
    `Airtable (${originOf(config.AIRTABLE_API_URL)}), table`,
    config.AIRTABLE_TABLE,
  );
  return config.AIRTABLE_VIEW === undefined ? place : named(`${place}, view`, config.AIRTABLE_VIEW);
}

function eventsRemedy({ AIRTABLE_TOKEN, AIRTABLE_BASE_ID, EVENTS_FILE }: Config): string {
  // The store is Airtable: a file store without its file stops the start.
  if (AIRTABLE_TOKEN !== undefined) return "set AIRTABLE_BASE_ID";
  if (AIRTABLE_BASE_ID !== undefined) return "set AIRTABLE_TOKEN";
  if (EVENTS_FILE !== undefined) return "set EVENTS_STORE=file to read EVENTS_FILE";
  return "set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_STORE=file and EVENTS_FILE";
}

function websearch({ WEBSEARCH_API_KEY: key, WEBSEARCH_API_URL: url }: Config): Part {
  const sentence = key === undefined
    ? "Web search is not configured: set WEBSEARCH_API_KEY. Requests to /proxy/v1/websearch/ are " +
      "refused with 500 (server_misconfigured)."
    : `Web search is configured, at ${originOf(url)}.`;
  return { part: "web search", isConfigured: key !== undefined, sentence };
}

function decisions({ DECISION_API_KEY: key, DECISION_API_URL: url }: Config): Part {
  const sentence = key === undefined
    ? "Decisions are not configured: set DECISION_API_KEY. Requests to /proxy/v1/decision/ are " +
      "refused with 500 (server_misconfigured)."
    : `Decisions are configured, at ${originOf(url)}.`;
  return { part: "decisions", isConfigured: key !== undefined, sentence };
}

function models({ ROUTER_API_KEY: key, ROUTER_API_URL: url }: Config): Part {
  const unwatched = key === undefined
    ? " Nothing is refused without ROUTER_API_KEY, but /up does not watch the router."
    : "";
  const sentence = `Model lists are read from ${originOf(url)}.${unwatched}`;
  return { part: "models", isConfigured: true, sentence };
}

function analytics({ ANALYTICS_URL: url, ANALYTICS_KV_PATH: path }: Config): Part {
  const place = path === undefined
    ? "the service's own database"
    : "the database of ANALYTICS_KV_PATH";
  const sentence = url === undefined
    ? `Usage records are kept in ${place}: without ANALYTICS_URL there is no ClickHouse, and nothing is refused.`
    : `Usage records go to ClickHouse, at ${originOf(url)}.`;
  return { part: "analytics", isConfigured: url !== undefined, sentence };
}

/** A path may hold a secret. */
function originOf(address: string): string {
  return new URL(address).origin;
}

function named(what: string, name: string | undefined): string {
  const shown = name === undefined ? null : showValue(name);
  return shown === null ? what : `${what} ${shown}`;
}
