/** The examinations of `deno task doctor`. None of them throws, and none writes to the database. */

import { hasAccount } from "../lib/accounts/mod.ts";
import { createUsageStore, openAnalyticsKv } from "../lib/analytics/mod.ts";
import {
  type Config,
  ConfigError,
  findDenoFault,
  listStrayNames,
  parseConfig,
} from "../lib/config/mod.ts";
import { callAirtable, createFileStore } from "../lib/events/mod.ts";
import { CHECK_NAMES, createChecks, runChecks } from "../lib/health/mod.ts";
import { areJobsOn, isJobLate, listJobRuns } from "../lib/service/mod.ts";
import { isObject } from "../lib/json.ts";
import { countChecks, findNewerFormats, getBlobPointer, isRemote } from "../lib/kv/mod.ts";
import { createLook } from "../lib/look/mod.ts";
import { VERSION } from "../lib/reference/mod.ts";
import { CHECK_LABELS } from "../lib/status/mod.ts";
import { startRealTimer } from "../lib/timeout.ts";

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
type Opened = Examined & { readonly config: Config; readonly kv: Deno.Kv };

const MAX_SKEW_MILLISECONDS = 5_000;
const CALL_MILLISECONDS = 15_000;
/** The report of `/up` is shared by isolates for half a minute. */
const SAME_REPORT_MILLISECONDS = 60_000;

/** Examines an installation, and yields each finding when it is known. */
export async function* examine(world: Examined): AsyncGenerator<Finding> {
  const { environment, denoVersion } = world;
  const fault = findDenoFault(denoVersion);
  yield { name: "deno", state: fault === null ? "ok" : "failed", sentence: fault ?? denoVersion };
  let config: Config;
  try {
    config = parseConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const sentence of error.mistakes) {
      yield { name: "configuration", state: "failed", sentence };
    }
    return;
  }
  yield* examineConfiguration(config, environment);
  let kv: Deno.Kv;
  try {
    kv = await world.openKv(config.KV_PATH);
  } catch (error) {
    yield { name: "database", state: "failed", sentence: reasonOf(error) };
    yield* examineService(config, world, null);
    return;
  }
  try {
    const opened = { ...world, config, kv };
    const parts = [
      ["database", examineDatabase],
      ["limits", examineLimits],
      ["clock", examineClock],
      ["formats", examineFormats],
      ["jobs", examineJobs],
      ["events store", examineStore],
      ["look", examineLook],
      ["providers", examineProviders],
    ] as const;
    for (const [name, part] of parts) {
      try {
        yield* part(opened);
      } catch (error) {
        yield { name, state: "failed", sentence: reasonOf(error) };
      }
    }
    yield* examineService(config, world, kv);
  } finally {
    kv.close();
  }
}

function* examineConfiguration(
  config: Config,
  environment: Examined["environment"],
): Generator<Finding> {
  const name = "configuration";
  const stray = listStrayNames(environment);
  for (const { name: set, meant } of stray) {
    const sentence = `${set} is set, but nothing reads it: ${meant} is probably meant.`;
    yield { name, state: "warning", sentence };
  }
  if (stray.length === 0) yield { name, state: "ok", sentence: "Every variable is valid." };
  if (config.hosting.isDenoDeploy) {
    const sentence = `This is Deno Deploy, timeline ${config.hosting.timeline ?? "unknown"}.`;
    yield { name: "platform", state: "ok", sentence };
  }
}

async function* examineDatabase({ kv, config, now }: Opened): AsyncGenerator<Finding> {
  const name = "database";
  const before = performance.now();
  const hasProof = await hasAccount(kv);
  const took = `It responds in ${Math.round(performance.now() - before)} ms`;
  const path = config.KV_PATH;
  if (path === ":memory:") {
    yield { name, state: "failed", sentence: "KV_PATH is :memory:, which ends with its process." };
  } else if (path === undefined && !config.hosting.isDenoDeploy) {
    const sentence = "KV_PATH is not set: this is Deno's own database for this folder.";
    yield { name, state: "warning", sentence };
  } else if (hasProof) {
    const where = isRemote(kv) ? "a remote one" : "a file";
    yield { name, state: "ok", sentence: `${took}, is ${where}, and holds accounts.` };
  } else {
    yield {
      name,
      state: "warning",
      sentence: `${took}, but holds no account. On Deno Deploy the proxy is off until it does: ` +
        "run `deno task accounts create NAME`. If there are accounts, KV_PATH names another database.",
    };
  }
  const { pointer } = await getBlobPointer<{ readonly readAt: number }>(kv, "events");
  if (pointer !== null && pointer.meta.readAt > now() + MAX_SKEW_MILLISECONDS) {
    const sentence = "The stored events are from the future: a clock is, or was, ahead.";
    yield { name: "clock", state: "warning", sentence };
  }
}

async function* examineLimits({ kv }: Opened): AsyncGenerator<Finding> {
  if (!isRemote(kv)) return;
  const checks = await countChecks(kv);
  const sentence = checks >= 100
    ? "A commit may check 100 keys, as on Deno Deploy."
    : `A commit may check ${checks} keys: larger ones are made in parts, which takes longer.`;
  yield { name: "limits", state: checks >= 10 ? "ok" : "failed", sentence };
}

/** The clock of the database's machine, which for a file is this machine. */
async function* examineClock({ kv, config, fetch, now }: Opened): AsyncGenerator<Finding> {
  const path = config.KV_PATH;
  if (!isRemote(kv) || path === undefined) return;
  const response = await fetch(path, { method: "HEAD", signal: timeLimit() });
  await response.body?.cancel();
  yield judgeClock("the database", response.headers.get("date"), now());
}

function judgeClock(whose: string, date: string | null, now: number): Finding {
  const name = "clock";
  if (date === null) return { name, state: "unknown", sentence: `${whose} sends no time.` };
  // The header has whole seconds.
  const skew = Math.round((now - Date.parse(date) - 500) / 1_000);
  const isNear = Math.abs(skew) * 1_000 <= MAX_SKEW_MILLISECONDS;
  const by = skew === 0 ? "agrees" : `differs by ${Math.abs(skew)} s`;
  const sentence = `This clock ${by} with that of ${whose}.`;
  return { name, state: isNear ? "ok" : "failed", sentence };
}

async function* examineFormats({ kv }: Opened): AsyncGenerator<Finding> {
  const newer = await findNewerFormats(kv);
  for (const { message } of newer) yield { name: "formats", state: "failed", sentence: message };
  if (newer.length > 0) return;
  const sentence = "This version knows the format of every kind of value (the first of each kind).";
  yield { name: "formats", state: "ok", sentence };
}

async function* examineJobs({ kv, config, now }: Opened): AsyncGenerator<Finding> {
  for (const [job, run] of await listJobRuns(kv)) {
    const name = `job “${job}”`;
    if (run === null) {
      yield { name, state: "unknown", sentence: "It has not run yet. It runs every two hours." };
      continue;
    }
    const at = `${new Date(run.startedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const isLate = areJobsOn(config) && isJobLate(run.startedAt, now());
    if (run.error !== null) {
      yield { name, state: "failed", sentence: `Its run at ${at} failed: ${run.error}` };
    } else if (isLate) yield { name, state: "failed", sentence: `Its last run was at ${at}.` };
    else yield { name, state: "ok", sentence: `It ran at ${at}.` };
  }
}

/** The logo and the font, if they are set. Relative paths are resolved in the working directory. */
async function* examineLook({ config, fetch, now }: Opened): AsyncGenerator<Finding> {
  const name = "look";
  const { SITE_LOGO, SITE_FONT } = config;
  const warnings: string[] = [];
  const look = createLook(config, {
    fetch,
    now,
    openCache: null,
    pictures: null,
    startLimit: startRealTimer,
    log: { warn: (message) => void warnings.push(message) },
  });
  await look.ready();
  const { logo, font } = look.site();
  const isRead = (SITE_LOGO === undefined || logo !== null) &&
    (SITE_FONT === undefined || font !== null);
  for (const sentence of warnings) yield { name, state: "warning", sentence };
  if (!isRead && warnings.length === 0) {
    const sentence = "The server of SITE_LOGO or SITE_FONT does not answer within three seconds.";
    yield { name, state: "warning", sentence };
  }
  if (isRead && (logo ?? font) !== null) {
    yield { name, state: "ok", sentence: "The site's own logo and font can be used." };
  }
}

async function* examineStore({ config, fetch }: Opened): AsyncGenerator<Finding> {
  const name = "events store";
  if (config.EVENTS_STORE === "file") {
    const store = createFileStore(config.EVENTS_FILE ?? "", config.AIRTABLE_FIELDS);
    const { length } = await store.read(timeLimit());
    yield { name, state: "ok", sentence: `EVENTS_FILE has ${length} records.` };
    return;
  }
  const { AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId, AIRTABLE_TABLE: table } = config;
  if (token === undefined || baseId === undefined) {
    const sentence = "AIRTABLE_TOKEN and AIRTABLE_BASE_ID are not set here.";
    yield { name, state: "unknown", sentence };
    return;
  }
  const query = new URLSearchParams({ maxRecords: "1" });
  if (config.AIRTABLE_VIEW !== undefined) query.set("view", config.AIRTABLE_VIEW);
  const access = { apiUrl: config.AIRTABLE_API_URL, token, fetch };
  await callAirtable(access, { path: [baseId, table], query, signal: timeLimit() });
  yield { name, state: "ok", sentence: "Airtable accepts the token, and knows the table." };
}

async function* examineProviders({ kv, config, fetch, now }: Opened): AsyncGenerator<Finding> {
  const analyticsKv = await openAnalyticsKv(config, kv);
  const { ping } = createUsageStore(config, { analyticsKv, fetch, now });
  const findings = await runChecks(createChecks({ config, kv, fetch, pingAnalytics: ping }));
  if (analyticsKv !== kv) analyticsKv.close();
  const keys = {
    router: config.ROUTER_API_KEY,
    ocr: config.OCR_API_KEY,
    websearch: config.WEBSEARCH_API_KEY,
  };
  for (const check of CHECK_NAMES) {
    const name = CHECK_LABELS[check];
    const { isUp, reason = "no reason was given" } = findings[check];
    if (check === "database") continue;
    if (check !== "analytics" && keys[check] === undefined) {
      yield { name, state: "unknown", sentence: "Its key is not set here." };
    } else if (isUp) yield { name, state: "ok", sentence: "It responds." };
    else yield { name, state: "failed", sentence: `It is down: ${reason}.` };
  }
}

/** The service at BASE_URL: whether it responds, has this version, and uses this database. */
async function* examineService(
  { BASE_URL, baseUrlFrom }: Config,
  { fetch, now }: Examined,
  kv: Deno.Kv | null,
): AsyncGenerator<Finding> {
  const name = "service";
  try {
    const response = await fetch(`${BASE_URL}/up`, { signal: timeLimit() });
    const date = response.headers.get("date");
    const health: unknown = await response.json();
    if (!isObject(health) || typeof health["timestamp"] !== "number") {
      throw new Error("the server there is not Foyer");
    }
    const down = CHECK_NAMES.filter((check) => health[check] === false);
    yield {
      name,
      state: down.length === 0 ? "ok" : "failed",
      sentence: `${BASE_URL} responds` +
        (down.length === 0 ? "." : `, and says that these are down: ${down.join(", ")}.`),
    };
    yield judgeClock("the service", date, now());
    yield await judgeVersion(BASE_URL, fetch);
    if (kv !== null) yield await judgeDatabase(kv, health["timestamp"]);
  } catch (error) {
    const hint = baseUrlFrom === "default" ? " Set BASE_URL to the public address." : "";
    const state = baseUrlFrom === "default" ? "unknown" : "failed";
    yield { name, state, sentence: `${BASE_URL} cannot be examined: ${reasonOf(error)}.${hint}` };
  }
}

async function judgeVersion(baseUrl: string, fetch: Examined["fetch"]): Promise<Finding> {
  const name = "version";
  const response = await fetch(`${baseUrl}/api/v1/openapi.json`, { signal: timeLimit() });
  const body: unknown = await response.json();
  const info = isObject(body) && isObject(body["info"]) ? body["info"] : {};
  const there = String(info["version"] ?? "unknown");
  return there === VERSION
    ? { name, state: "ok", sentence: `The service's API has this version, ${VERSION}.` }
    : { name, state: "warning", sentence: `The service has ${there}, this checkout ${VERSION}.` };
}

/**
 * The service stores the report of `/up` in its database. So this database is the service's if it has a report of the
 * same time.
 */
async function judgeDatabase(kv: Deno.Kv, timestamp: number): Promise<Finding> {
  const name = "same database";
  const { pointer } = await getBlobPointer<{ readonly readAt: number }>(kv, "health");
  const isSame = pointer !== null &&
    Math.abs(pointer.meta.readAt - timestamp) <= SAME_REPORT_MILLISECONDS;
  return isSame
    ? { name, state: "ok", sentence: "The service stores its health report in this database." }
    : {
      name,
      state: "failed",
      sentence: "The service does not use this database: on Deno Deploy, KV_PATH needs the id of " +
        "production's (its name ends in -production), and the app needs a database.",
    };
}

const timeLimit = () => AbortSignal.timeout(CALL_MILLISECONDS);

/** The reason on one line, without a full stop. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.replaceAll(/\s+/g, " ").replace(/\.$/, "");
}
