/** The examinations of `deno task doctor` and of the desk. None of them writes to the database. */

import { hasAccount, openClickHouse } from "../proxy/mod.ts";
import { setTimeout } from "node:timers/promises";
import {
  type Config,
  ConfigError,
  listNearMisses,
  parseConfig,
} from "../platform/config/config.ts";
import { findDenoFault } from "../platform/config/hosting.ts";
import {
  callAirtable,
  createFileStore,
  createLook,
  createRecordParser,
  lookUpName,
  SNAPSHOT_NAME,
} from "../events/mod.ts";
import { createChecks } from "./health/checks.ts";
import { CHECK_NAMES, type CheckName } from "./health/history.ts";
import { areJobsOn, isJobLate, listJobRuns } from "./jobs.ts";
import { VERSION } from "./reference/openapi.ts";
import { isConfigured } from "./status/report.ts";
import { labelOf } from "./status/words.ts";
import { isObject } from "../platform/json.ts";
import { getBlobPointer } from "../platform/kv/blob.ts";
import { isRemote } from "../platform/kv/open.ts";
import { formatMinute } from "../platform/time.ts";
import { startRealTimer } from "../platform/timeout.ts";

/** The result of one examination. */
export interface Finding {
  readonly name: string;
  /** `unknown`: not configured here, so it cannot be examined from here. */
  readonly state: "ok" | "warning" | "failed" | "unknown";
  readonly sentence: string;
}

/** The installation that is examined, and the means to examine it. */
export interface Examined {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly denoVersion: string;
  readonly openKv: (path: string | undefined) => Promise<Deno.Kv>;
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Everything that an examination of an opened installation needs. */
type Opened = Pick<Examined, "fetch" | "now"> & { readonly config: Config; readonly kv: Deno.Kv };

/** A finding without the name of its part, or under another name. */
type Found = readonly [state: Finding["state"], sentence: string, name?: string];

/** The examinations of an opened database and its surroundings by their names, in order. */
const PARTS: readonly [name: string, examinePart: (opened: Opened) => AsyncGenerator<Found>][] = [
  ["database", examineDatabase],
  ["clock", examineClock],
  ["jobs", examineJobs],
  ["events store", examineStore],
  ["look", examineLook],
  ["providers", examineProviders],
];

const MAX_SKEW_MILLISECONDS = 5_000;
const CALL_MILLISECONDS = 15_000;
/** The report of `/up` is shared by isolates for half a minute. */
const SAME_REPORT_MILLISECONDS = 60_000;

/** Examines an installation. */
export async function examine(world: Examined): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (part: string, [state, sentence, name = part]: Found) =>
    void findings.push({ name, state, sentence });
  const fault = findDenoFault(world.denoVersion);
  add("deno", [fault === null ? "ok" : "failed", fault ?? world.denoVersion]);
  let config: Config;
  try {
    config = parseConfig(world.environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const sentence of error.mistakes) add("configuration", ["failed", sentence]);
    return findings;
  }
  for (const found of examineConfiguration(config, world)) add("configuration", found);
  using kv = await world.openKv(config.KV_PATH).catch((error) => {
    add("database", ["failed", reasonOf(error)]);
    return null;
  });
  if (kv !== null) findings.push(...await examineParts({ ...world, config, kv }));
  for await (const found of examineService(config, world, kv)) add("service", found);
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

function* examineConfiguration(config: Config, { environment }: Examined): Generator<Found> {
  const misses = listNearMisses(environment);
  for (const { name, nearest } of misses) {
    yield ["warning", `${name} is set, but nothing reads it. The nearest name is ${nearest}.`];
  }
  if (misses.length === 0) yield ["ok", "Every variable is valid."];
  const { isDenoDeploy, timeline } = config.hosting;
  if (isDenoDeploy) {
    yield ["ok", `This is Deno Deploy, timeline ${timeline ?? "unknown"}.`, "platform"];
  }
}

async function* examineDatabase({ kv, config, now }: Opened): AsyncGenerator<Found> {
  const before = performance.now();
  const hasProof = await hasAccount(kv);
  const took = `It responds in ${Math.round(performance.now() - before)} ms`;
  const path = config.KV_PATH;
  if (path === ":memory:") {
    yield ["failed", "KV_PATH is :memory:, which ends with its process."];
  } else if (path === undefined && !config.hosting.isDenoDeploy) {
    yield ["warning", "KV_PATH is not set: this is Deno's own database for this folder."];
  } else if (hasProof) {
    yield ["ok", `${took}, is ${isRemote(kv) ? "a remote one" : "a file"}, and holds accounts.`];
  } else {
    yield [
      "warning",
      `${took}, but holds no account. On Deno Deploy the proxy is off until it does: ` +
      "run `deno task accounts create NAME`. If there are accounts, KV_PATH names another database.",
    ];
  }
  const { pointer } = await getBlobPointer<{ readonly readAt: number }>(kv, SNAPSHOT_NAME);
  if (pointer !== null && pointer.meta.readAt > now() + MAX_SKEW_MILLISECONDS) {
    yield ["warning", "The stored events are from the future: a clock is, or was, ahead.", "clock"];
  }
}

/** The clock of the database's machine, which for a file is this machine. */
async function* examineClock({ kv, config, fetch, now }: Opened): AsyncGenerator<Found> {
  const path = config.KV_PATH;
  if (!isRemote(kv) || path === undefined) return;
  const response = await fetch(path, { method: "HEAD", signal: timeLimit() });
  await response.body?.cancel();
  yield judgeClock("the database", response.headers.get("date"), now());
}

function judgeClock(whose: string, date: string | null, now: number): Found {
  if (date === null) return ["unknown", `${whose} sends no time.`, "clock"];
  // The header has whole seconds.
  const skew = Math.round((now - Date.parse(date) - 500) / 1_000);
  const isNear = Math.abs(skew) * 1_000 <= MAX_SKEW_MILLISECONDS;
  const by = skew === 0 ? "agrees" : `differs by ${Math.abs(skew)} s`;
  return [isNear ? "ok" : "failed", `This clock ${by} with that of ${whose}.`, "clock"];
}

async function* examineJobs({ kv, config, now }: Opened): AsyncGenerator<Found> {
  for (const [job, run] of await listJobRuns(kv)) {
    const name = `job “${job}”`;
    if (run === null) {
      yield ["unknown", "It has not run yet. It runs every two hours.", name];
      continue;
    }
    const at = formatMinute(run.startedAt);
    const isLate = areJobsOn(config) && isJobLate(run.startedAt, now());
    if (run.error !== null) yield ["failed", `Its run at ${at} failed: ${run.error}`, name];
    else if (isLate) yield ["failed", `Its last run was at ${at}.`, name];
    else yield ["ok", `It ran at ${at}.`, name];
  }
}

/** The files of the site's look that are set. Relative paths are resolved in the working directory. */
async function* examineLook({ config, fetch, now }: Opened): AsyncGenerator<Found> {
  const warnings: string[] = [];
  const look = createLook(config, {
    fetch,
    now,
    lookUp: lookUpName,
    startLimit: startRealTimer,
    log: { warn: (message) => void warnings.push(message) },
  });
  await look.ready();
  for (const sentence of warnings) yield ["warning", sentence];
  if (warnings.length > 0) return;
  const { logo, logoDark, icon, font } = look.site();
  const files = {
    SITE_LOGO: logo,
    SITE_LOGO_DARK: logoDark,
    SITE_ICON: icon,
    SITE_FONT: font,
  };
  const chosen = (Object.keys(files) as (keyof typeof files)[])
    .filter((variable) => config[variable] !== undefined);
  for (const variable of chosen.filter((each) => files[each] === null)) {
    yield ["warning", `The server of ${variable} does not answer within three seconds.`];
  }
  if (chosen.length > 0 && chosen.every((each) => files[each] !== null)) {
    yield ["ok", `The files of the site's look can be used: ${chosen.join(", ")}.`];
  }
}

async function* examineStore({ config, fetch }: Opened): AsyncGenerator<Found> {
  if (config.EVENTS_FILE !== undefined) {
    const { EVENTS_FILE, AIRTABLE_FIELDS: columns, EVENTS_TIME_ZONE } = config;
    const parseRecord = createRecordParser(columns, EVENTS_TIME_ZONE);
    const store = createFileStore(EVENTS_FILE, columns, parseRecord, setTimeout);
    const { length } = await store.read(timeLimit());
    yield ["ok", `EVENTS_FILE has ${length} records.`];
    return;
  }
  const { AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId, AIRTABLE_TABLE: table } = config;
  if (token === undefined || baseId === undefined) {
    yield ["unknown", "AIRTABLE_TOKEN and AIRTABLE_BASE_ID are not set here."];
    return;
  }
  const query = new URLSearchParams({ maxRecords: "1" });
  if (config.AIRTABLE_VIEW !== undefined) query.set("view", config.AIRTABLE_VIEW);
  const access = { apiUrl: config.AIRTABLE_API_URL, token, fetch };
  await callAirtable(access, { path: [baseId, table], query, signal: timeLimit() });
  yield ["ok", "Airtable accepts the token, and knows the table."];
}

async function* examineProviders(opened: Opened): AsyncGenerator<Found> {
  const found = PROVIDERS.map((check) => tryProvider(opened, check));
  for (const { state, sentence, name } of await Promise.all(found)) yield [state, sentence, name];
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
  const clickHouse = openClickHouse(config, fetch);
  const { isUp, reason = "no reason was given" } = await createChecks({
    config,
    kv,
    fetch,
    clickHouse,
  })[check]();
  return isUp
    ? { name, state: "ok", sentence: "It responds." }
    : { name, state: "failed", sentence: `It is down: ${reason}.` };
}

/** The service at BASE_URL: whether it responds, has this version, and uses this database. */
async function* examineService(
  { BASE_URL, baseUrlFrom }: Config,
  { fetch, now }: Examined,
  kv: Deno.Kv | null,
): AsyncGenerator<Found> {
  try {
    const response = await fetch(`${BASE_URL}/up`, { signal: timeLimit() });
    const date = response.headers.get("date");
    const health: unknown = await response.json();
    if (!isObject(health) || typeof health["timestamp"] !== "number") {
      throw new Error("the server there is not Foyer");
    }
    const down = CHECK_NAMES.filter((check) => health[check] === false);
    yield down.length === 0
      ? ["ok", `${BASE_URL} responds.`]
      : ["failed", `${BASE_URL} responds, and says that these are down: ${down.join(", ")}.`];
    yield judgeClock("the service", date, now());
    yield await judgeVersion(BASE_URL, fetch);
    if (kv !== null) yield await judgeDatabase(kv, health["timestamp"]);
  } catch (error) {
    const sentence = `${BASE_URL} cannot be examined: ${reasonOf(error)}.`;
    yield baseUrlFrom === "default"
      ? ["unknown", `${sentence} Set BASE_URL to the public address.`]
      : ["failed", sentence];
  }
}

async function judgeVersion(baseUrl: string, fetch: Examined["fetch"]): Promise<Found> {
  const response = await fetch(`${baseUrl}/api/v1/openapi.json`, { signal: timeLimit() });
  const body: unknown = await response.json();
  const info = isObject(body) && isObject(body["info"]) ? body["info"] : {};
  const there = String(info["version"] ?? "unknown");
  return there === VERSION
    ? ["ok", `The service's API has this version, ${VERSION}.`, "version"]
    : ["warning", `The service has ${there}, this checkout ${VERSION}.`, "version"];
}

/**
 * The service stores the report of `/up` in its database. So this database is the service's if it has a report of the
 * same time.
 */
async function judgeDatabase(kv: Deno.Kv, timestamp: number): Promise<Found> {
  const name = "same database";
  const { pointer } = await getBlobPointer<{ readonly readAt: number }>(kv, "health");
  const isSame = pointer !== null &&
    Math.abs(pointer.meta.readAt - timestamp) <= SAME_REPORT_MILLISECONDS;
  return isSame ? ["ok", "The service stores its health report in this database.", name] : [
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
