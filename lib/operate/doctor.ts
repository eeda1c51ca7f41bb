/**
 * The examination of an installation, from wherever it is run: the configuration, the database, what the status says,
 * one read of each configured thing, and the service at BASE_URL. It changes nothing.
 */

import { type Config, ConfigError, parseConfig } from "../platform/config/config.ts";
import { findDenoFault } from "../platform/config/hosting.ts";
import { isObject } from "../platform/json.ts";
import type { Platform } from "../platform/platform.ts";
import { startRealTimer } from "../platform/timeout.ts";
import { callAirtable } from "../events/airtable/calls.ts";
import { createFileStore } from "../events/reading/file.ts";
import { createBranding } from "../events/site/branding.ts";
import { systemResolver } from "../events/pictures/fetch_file.ts";
import { createRecordParser } from "../events/reading/record.ts";
import { hasAccount } from "../accounts/durable_database.ts";
import { dayOf } from "../platform/utc_days.ts";
import { openClickHouse } from "../proxy/records/clickhouse.ts";
import { createChecks } from "./health/checks.ts";
import { CHECK_NAMES, type CheckName, readHistory } from "./health/history.ts";
import { buildRecord, runChecks } from "./health/report.ts";
import { isConfigured, readStatus } from "./status/report.ts";
import { describeStatus, labelOf } from "./status/words.ts";

/** The result of one examination. */
export interface Finding {
  readonly name: string;
  /** `unknown`: not configured here or not yet done, so it cannot be judged from here. */
  readonly state: "ok" | "warning" | "failed" | "unknown";
  readonly sentence: string;
}

/** The installation that is examined, and the means to examine it. */
export interface Installation extends Pick<Platform, "fetch" | "now"> {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly denoVersion: string;
  readonly openKv: (path: string | undefined) => Promise<Deno.Kv>;
}

/** An installation whose configuration is valid and whose database is open. */
type Opened = Pick<Platform, "kv" | "fetch" | "now"> & { readonly config: Config };

/** A finding, whose name is that of its part unless it has one. */
type Found = readonly [state: Finding["state"], sentence: string, name?: string];

const PARTS: readonly [name: string, examinePart: (opened: Opened) => AsyncGenerator<Found>][] = [
  ["database", examineDatabase],
  ["status", examineStatus],
  ["events store", examineStore],
  ["look", examineLook],
  ["sign-in", examineSignIn],
  ["service", examineService],
];

const CALL_MILLISECONDS = 15_000;
/** A report of `/up` is used for half a minute. */
const SAME_REPORT_MILLISECONDS = 60_000;

/** Examines an installation. */
export async function examine(installation: Installation): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (part: string, [state, sentence, name = part]: Found) =>
    void findings.push({ name, state, sentence });
  const fault = findDenoFault(installation.denoVersion);
  add("deno", [fault === null ? "ok" : "failed", fault ?? installation.denoVersion]);
  let config: Config;
  try {
    config = parseConfig(installation.environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const sentence of error.mistakes) add("configuration", ["failed", sentence]);
    return findings;
  }
  for (const doubt of config.doubts) add("configuration", ["warning", `${doubt}.`]);
  if (config.doubts.length === 0) add("configuration", ["ok", "Every variable is valid."]);
  using kv = await installation.openKv(config.KV_PATH).catch((error) => {
    add("database", ["failed", reasonOf(error)]);
    return null;
  });
  if (kv !== null) findings.push(...await examineParts({ ...installation, config, kv }));
  return findings;
}

/** Examines the parts of an installation whose configuration is valid and whose database is open. */
export async function examineParts(opened: Opened): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [part, examinePart] of PARTS) {
    try {
      for await (const [state, sentence, name = part] of examinePart(opened)) {
        findings.push({ name, state, sentence });
      }
    } catch (error) {
      findings.push({ name: part, state: "failed", sentence: reasonOf(error) });
    }
  }
  return findings;
}

/** The providers that can be tried, without cost. */
export const PROVIDERS = CHECK_NAMES.filter((name) => name !== "database");

/** Tries one of them. */
export async function tryProvider(
  { kv, config, fetch }: Omit<Opened, "now">,
  check: CheckName,
): Promise<Finding> {
  const name = labelOf(check);
  if (!isConfigured(check, config)) {
    return { name, state: "unknown", sentence: "Its key is not set here." };
  }
  const checks = createChecks({ config, kv, fetch, clickHouse: openClickHouse(config, fetch) });
  const { isUp, reason = "no reason was given" } = await checks[check]();
  return isUp
    ? { name, state: "ok", sentence: "It responds." }
    : { name, state: "failed", sentence: `It is down: ${reason}.` };
}

async function* examineDatabase({ kv, config }: Opened): AsyncGenerator<Found> {
  const path = config.KV_PATH;
  if (path === ":memory:") {
    yield ["failed", "KV_PATH is :memory:, which ends with its process."];
  } else if (path === undefined && !config.hosting.isDenoDeploy) {
    yield ["warning", "KV_PATH is not set: this is Deno's own database for this folder."];
  } else if (await hasAccount(kv)) {
    yield ["ok", "It holds accounts."];
  } else {
    yield [
      "warning",
      "It holds no account. On Deno Deploy the proxy is off until it does: run `deno task accounts " +
      "create <name>`. If there are accounts, KV_PATH names another database.",
    ];
  }
}

/** The findings of the status, with the checks run now: each part, each job, and the events. */
async function* examineStatus({ kv, config, fetch, now }: Opened): AsyncGenerator<Found> {
  const clickHouse = openClickHouse(config, fetch);
  const found = await runChecks(createChecks({ config, kv, fetch, clickHouse }));
  const current = buildRecord(found, null, now());
  const report = await readStatus({ kv, config, now: now(), current });
  const { groups, jobs } = describeStatus(report);
  for (const { name, label, state, now: words } of groups.flatMap(({ parts }) => parts)) {
    if (state === null) continue;
    const check = report.checks.find((each) => each.name === name);
    // The service may have what is not configured here.
    if (check?.state === "unconfigured") {
      yield ["unknown", words, label];
      continue;
    }
    const reason = name in found ? found[name as CheckName].reason : report.failure?.reason;
    yield state === "down"
      ? ["failed", reason === undefined ? words : `${words}: ${reason}`, label]
      : [state === "up" ? "ok" : state === "warning" ? "warning" : "unknown", words, label];
  }
  for (const [name, outcome, at, , error] of jobs ?? []) {
    const state = /late|failed/.test(outcome) ? "failed" : at === "" ? "unknown" : "ok";
    const words = [outcome, at].filter((each) => each !== "").join(", ");
    yield [state, error === "" ? words : `${words}: ${error}`, `job “${name}”`];
  }
}

/** The files of the site's look that are set. Relative paths are resolved in the working directory. */
async function* examineLook({ config, fetch, now }: Opened): AsyncGenerator<Found> {
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  const branding = createBranding(config, {
    fetch,
    now,
    resolveName: systemResolver,
    startLimit: startRealTimer,
    log,
  });
  await branding.ready();
  const { logo, logoDark, icon, font } = branding.site();
  const files = { SITE_LOGO: logo, SITE_LOGO_DARK: logoDark, SITE_ICON: icon, SITE_FONT: font };
  const chosen = Object.entries(files).filter(([name]) => config[name as keyof typeof files]);
  for (const [name, file] of warnings.length > 0 ? [] : chosen) {
    if (file === null) warnings.push(`The server of ${name} does not answer within three seconds.`);
  }
  for (const sentence of warnings) yield ["warning", sentence];
  if (warnings.length > 0 || chosen.length === 0) return;
  const names = chosen.map(([name]) => name).join(", ");
  yield ["ok", `The files of the site's look can be used: ${names}.`];
}

async function* examineStore({ config, fetch }: Opened): AsyncGenerator<Found> {
  const { EVENTS_FILE, AIRTABLE_FIELDS: columns, EVENTS_TIME_ZONE } = config;
  if (EVENTS_FILE !== undefined) {
    const parseRecord = createRecordParser(columns, EVENTS_TIME_ZONE);
    const store = createFileStore(EVENTS_FILE, columns, parseRecord);
    const { length } = await store.read(timeLimit());
    yield ["ok", `EVENTS_FILE has ${length} records.`];
    return;
  }
  const { AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId, AIRTABLE_TABLE: table } = config;
  if (token === undefined || baseId === undefined) {
    yield ["unknown", "Set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or EVENTS_FILE: none is set here."];
    return;
  }
  const query = new URLSearchParams({ pageSize: "1" });
  if (config.AIRTABLE_VIEW !== undefined) query.set("view", config.AIRTABLE_VIEW);
  const access = { apiUrl: config.AIRTABLE_API_URL, token, fetch };
  await callAirtable(access, { path: [baseId, table], query, signal: timeLimit() });
  yield ["ok", "Airtable accepts the token, and knows the table."];
}

/** The identity provider: whether it is the issuer, and states the claims that will be needed of it. */
async function* examineSignIn({ config, fetch }: Opened): AsyncGenerator<Found> {
  const { SIGN_IN_ISSUER: issuer } = config;
  if (issuer === undefined) return;
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(address, { signal: timeLimit() });
  const metadata: unknown = response.ok ? await response.json() : null;
  if (!isObject(metadata)) {
    yield ["failed", `SIGN_IN_ISSUER has no metadata: ${address} answers ${response.status}.`];
    return;
  }
  if (metadata["issuer"] !== issuer) {
    yield ["failed", "SIGN_IN_ISSUER differs from the issuer that its metadata names."];
    return;
  }
  yield ["ok", "The identity provider responds, and is the issuer."];
  const stated = metadata["claims_supported"];
  const lacks = (claim: string) => Array.isArray(stated) && !stated.includes(claim);
  if (config.SIGN_IN_PASSWORD_PROOF === "on" && lacks("auth_time")) {
    yield [
      "warning",
      "The identity provider does not list auth_time: if it states none, nobody can delete an account or change " +
      "anything at the desk without SIGN_IN_PASSWORD_PROOF=off.",
    ];
  }
  const rules = [config.SIGN_IN_ADMIT, config.SIGN_IN_VERIFIED, config.SIGN_IN_OPERATORS];
  const needsAddress = rules.some((rule) => rule?.tested.includes("email"));
  if (config.SIGN_IN_TRUST_EMAIL === "off" && needsAddress && lacks("email_verified")) {
    yield [
      "warning",
      "The identity provider does not list email_verified, without which no rule over the address holds. For the " +
      "issuer of one organisation alone, set SIGN_IN_TRUST_EMAIL=on.",
    ];
  }
}

/** The service at BASE_URL: whether it responds, and with this database. */
async function* examineService(
  { config: { BASE_URL }, fetch, kv }: Opened,
): AsyncGenerator<Found> {
  try {
    const response = await fetch(`${BASE_URL}/up`, { signal: timeLimit() });
    const body: unknown = await response.json();
    const { timestamp, ...health } = isObject(body) ? body : {};
    if (typeof timestamp !== "number") throw new Error("the server there is not Foyer");
    const down = CHECK_NAMES.filter((check) => health[check] === false);
    yield down.length === 0
      ? ["ok", `${BASE_URL} responds.`]
      : ["failed", `${BASE_URL} responds, and says that these are down: ${down.join(", ")}.`];
    yield await judgeDatabase(kv, timestamp);
  } catch (error) {
    const sentence = `${BASE_URL} cannot be examined: ${reasonOf(error)}.`;
    yield new URL(BASE_URL).hostname === "localhost"
      ? ["unknown", `${sentence} Set BASE_URL to the public address.`]
      : ["failed", sentence];
  }
}

/** The service stores the results of `/up` in its database, so this one is the service's if it has one of that time. */
async function judgeDatabase(kv: Deno.Kv, timestamp: number): Promise<Found> {
  const name = "same database";
  const lastAt = (await readHistory(kv, timestamp)).get(dayOf(timestamp))?.database?.lastAt ?? 0;
  if (Math.abs(lastAt - timestamp) <= SAME_REPORT_MILLISECONDS) {
    return ["ok", "The service stores the results of its checks in this database.", name];
  }
  return [
    "failed",
    "The service does not use this database: on Deno Deploy, KV_PATH needs the id of " +
    "production's (its name ends in -production), and the app needs a database.",
    name,
  ];
}

const timeLimit = () => AbortSignal.timeout(CALL_MILLISECONDS);

/** The reason on one line, without a full stop. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.replaceAll(/\s+/g, " ").replace(/\.$/, "");
}
