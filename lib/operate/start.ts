/** The log lines of a start: the configured parts, and the refusals without the others. */

import type { Config } from "../platform/config/config.ts";
import { showValue } from "../platform/config/shown.ts";
import type { Log } from "../platform/log.ts";

/** The providers whose requests are refused without a key: the beginning of their sentence and of their variables. */
const PROVIDERS = [
  ["Web search is", "WEBSEARCH", "/proxy/v1/websearch/"],
  ["Decisions are", "DECISION", "/proxy/v1/decision/"],
] as const;

/**
 * Logs a line for each part, and for each doubt about the configuration. No line holds a secret: addresses are cut to
 * their origins.
 */
export function logStart(
  config: Config,
  log: Pick<Log, "info" | "warn">,
): void {
  for (const doubt of config.doubts) log.warn(`${doubt}.`);
  const store = eventsStore(config);
  if (store === null) {
    // A service without a provider is normal; a site without events is probably a mistake.
    log.warn(
      "Events are not configured: set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE. " +
        "The events API, the feeds and the pages of events answer 500 (server_misconfigured).",
    );
  } else {
    const when = config.AIRTABLE_NOTIFICATIONS === "on" && config.EVENTS_FILE === undefined
      ? "when Airtable tells of a change, and hourly"
      : `every ${config.EVENTS_REFRESH_SECONDS} seconds`;
    log.info(`Events are read from ${store}, ${when} while there are requests.`);
  }
  for (const [subject, prefix, path] of PROVIDERS) {
    const isConfigured = config[`${prefix}_API_KEY` as const] !== undefined;
    log.info(
      isConfigured
        ? `${subject} configured, at ${originOf(config[`${prefix}_API_URL` as const])}.`
        : `${subject} not configured: set ${prefix}_API_KEY. ` +
          `Requests to ${path} are refused with 500 (server_misconfigured).`,
    );
  }
  if (config.SIGN_IN_ISSUER !== undefined) {
    const who = config.SIGN_IN_ADMIT === undefined
      ? "every person whom it admits gets an account"
      : "SIGN_IN_ADMIT says who gets an account";
    log.info(
      `Members sign in at ${originOf(config.SIGN_IN_ISSUER)}, and ${who}. Register there the ` +
        `redirect address ${originOf(config.BASE_URL)}/account/callback.`,
    );
  }
  if (config.ANALYTICS_URL !== undefined) {
    log.info(`Usage records also go to ClickHouse, at ${originOf(config.ANALYTICS_URL.address)}.`);
  }
  if (config.hosting.isDenoDeploy) log.info(`Links use ${config.BASE_URL}.`);
  if (config.hosting.needsProof) {
    log.info("The database may be a temporary one: the proxy is off until it holds an account.");
  }
}

/** The event store in words; null if it is not configured. */
function eventsStore(config: Config): string | null {
  if (config.EVENTS_FILE !== undefined) return named("the file", config.EVENTS_FILE);
  if (config.AIRTABLE_TOKEN === undefined || config.AIRTABLE_BASE_ID === undefined) return null;
  const airtable = `Airtable (${originOf(config.AIRTABLE_API_URL)})`;
  const place = named(`${airtable}, table`, config.AIRTABLE_TABLE);
  return config.AIRTABLE_VIEW === undefined ? place : named(`${place}, view`, config.AIRTABLE_VIEW);
}

/** A path may hold a secret. */
function originOf(address: string): string {
  return new URL(address).origin;
}

function named(what: string, name: string | undefined): string {
  const shown = name === undefined ? null : showValue(name);
  return shown === null ? what : `${what} ${shown}`;
}
