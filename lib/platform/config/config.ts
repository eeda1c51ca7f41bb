/**
 * Configuration: the one place that reads the environment. Everything else gets a `Config`. A start reports every
 * mistake by the variable's name, with the value unless it may contain a secret.
 */

import { readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { z } from "zod";
import { COLUMN_NAMES } from "../columns.ts";
import { FOYER } from "../site_name.ts";
import { findDenoFault, type Hosting, readHosting } from "./hosting.ts";
import { describeMistake, type Values } from "./mistakes.ts";
import { findStrayNames, type StrayName } from "./typos.ts";
import {
  address,
  claimRule,
  columns,
  contact,
  file,
  isProtected,
  issuer,
  line,
  links,
  scopes,
  text,
  timeZone,
  token,
  usd,
  wholeNumber,
} from "./values.ts";

const schema = z.object({
  PORT: wholeNumber(0, 65_535).default(8000),
  HOST: text.default("0.0.0.0"),
  BASE_URL: address.optional(),
  SECURITY_CONTACT: contact.optional(),
  SITE_NAME: line(60).default(FOYER),
  SITE_TAGLINE: line(200).optional(),
  SITE_CONTACT: contact.optional(),
  SITE_COLOR: text.regex(/^#(?:[\da-f]{3}|[\da-f]{6})$/i, "expected a colour such as #0a7d5b")
    .optional(),
  SITE_LOGO: file(/\.(?:svg|png)$/i, "an SVG or PNG file").optional(),
  SITE_FONT: file(/\.woff2$/i, "a variable font in WOFF2").optional(),
  SITE_LINKS: links.default([]),
  KV_PATH: text.optional(),
  JOBS: z.enum(["on", "off"], "expected on or off").optional(),
  /** Deno's own variable; {@linkcode loadConfig} sets it in the environment. */
  DENO_KV_ACCESS_TOKEN: token.optional(),

  EVENTS_STORE: z.enum(["airtable", "file"], "expected airtable or file").default("airtable"),
  AIRTABLE_API_URL: address.default("https://api.airtable.com"),
  AIRTABLE_TOKEN: token.optional(),
  AIRTABLE_BASE_ID: text.optional(),
  AIRTABLE_TABLE: text.default("Events"),
  AIRTABLE_VIEW: text.optional(),
  AIRTABLE_FIELDS: columns.default(COLUMN_NAMES),
  AIRTABLE_CALLS_PER_MONTH: wholeNumber(1, 1_000_000_000).optional(),
  AIRTABLE_NOTIFICATIONS: z.enum(["on", "off"], "expected on or off").default("off"),
  EVENTS_FILE: text.optional(),
  EVENTS_REFRESH_SECONDS: wholeNumber(1, 300).default(120),
  EVENTS_TIME_ZONE: timeZone.default("UTC"),

  WEBSEARCH_API_URL: address.default("https://api.exa.ai"),
  WEBSEARCH_API_KEY: token.optional(),
  DECISION_API_URL: address.default("https://api.typesafe.ai"),
  DECISION_API_KEY: token.optional(),
  DECISION_PRICE_PER_MILLION_TOKENS: usd.default(42_000_000n),
  DECISION_MODEL_PREFIX: text.regex(/^[\w.~/-]+$/, "expected a model family's name such as acme")
    .optional(),
  ROUTER_API_URL: address.default("https://openrouter.ai/api"),
  ROUTER_API_KEY: token.optional(),
  ROUTER_MANAGEMENT_KEY: token.optional(),
  OCR_API_URL: address.default("https://api.mistral.ai"),
  OCR_API_KEY: token.optional(),
  MEDIA_API_URL: address.optional(),
  MEDIA_API_KEY: token.optional(),
  ANALYTICS_URL: address.optional(),
  ANALYTICS_USER: text.default("default"),
  ANALYTICS_PASSWORD: z.string().default(""),
  ANALYTICS_RETENTION_DAYS: wholeNumber(1, 3650).optional(),
  DAILY_LIMIT_USD: usd.default(4_000_000_000n),
  SERVICE_DAILY_LIMIT_USD: usd.optional(),
  KEY_PREFIX: text.regex(
    /^[a-z][a-z0-9]{1,19}$/,
    "expected 2 to 20 lower-case letters and digits, a letter first, such as acme",
  ).default("foyer"),
  RATE_LIMIT_REQUESTS: wholeNumber(1, 1_000_000_000).default(750),
  RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400).default(1800),
  MAX_BODY_BYTES: wholeNumber(1, 100 * 1024 * 1024).default(1024 * 1024),
  UPSTREAM_TIMEOUT_SECONDS: wholeNumber(1, 3600).default(120),
  SIGN_IN_ISSUER: issuer.optional(),
  SIGN_IN_CLIENT_ID: text.optional(),
  SIGN_IN_CLIENT_SECRET: text.optional(),
  SIGN_IN_SCOPES: scopes.default("openid profile"),
  SIGN_IN_ADMIT: claimRule.optional(),
  SIGN_IN_VERIFIED: claimRule.optional(),
  /** Deno's own variable, which Deno reads at start: `ignore` excludes the log from OpenTelemetry. */
  OTEL_DENO_CONSOLE: text.optional(),
});

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, checked and with defaults; `BASE_URL` has no trailing slash. */
export type Config = Readonly<
  Omit<z.output<typeof schema>, "BASE_URL"> & {
    BASE_URL: string;
    baseUrlFrom: "variable" | "platform" | "default";
    hosting: Hosting;
  }
>;

/** All mistakes in the configuration. */
export class ConfigError extends Error {
  override name = "ConfigError";

  /** @param mistakes one line each, such as `PORT: expected a whole number`. */
  constructor(readonly mistakes: readonly string[]) {
    super(`The configuration has mistakes:\n${mistakes.map((line) => `  - ${line}`).join("\n")}`);
  }
}

/**
 * Checks an environment. An empty variable counts as unset, as in most shells and hosting dashboards.
 *
 * @throws {ConfigError} naming every variable that is wrong or clearly misspelt.
 */
export function parseConfig(environment: Environment): Config {
  const set = setIn(environment);
  const parsed = schema.safeParse(set);
  const mistakes = [
    ...(parsed.error?.issues ?? []).map((issue) => describeMistake(issue, set)),
    ...findJointMistakes(set),
    ...findStrayNames(Object.keys(set), Object.keys(schema.shape)).filter(({ isTypo }) => isTypo)
      .map(({ name, meant }) => `${name}: no such variable; ${meant} is one`),
  ];
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes);
  const hosting = readHosting(environment);
  return { ...parsed.data, ...chooseBaseUrl(parsed.data, hosting), hosting };
}

function chooseBaseUrl(
  { BASE_URL, PORT }: z.output<typeof schema>,
  hosting: Hosting,
): Pick<Config, "BASE_URL" | "baseUrlFrom"> {
  if (BASE_URL !== undefined) return { BASE_URL, baseUrlFrom: "variable" };
  const { address } = hosting;
  return address === null
    ? { BASE_URL: `http://localhost:${PORT}`, baseUrlFrom: "default" }
    : { BASE_URL: address, baseUrlFrom: "platform" };
}

/** The unused variables whose names resemble one of ours in letters or words. */
export function listStrayNames(environment: Environment): StrayName[] {
  return findStrayNames(Object.keys(setIn(environment)), Object.keys(schema.shape));
}

/**
 * The configuration of this process, from {@linkcode readEnvironment}. The token of a remote database is set in the
 * environment, where Deno looks for it: Deno does not read `.env`.
 *
 * @throws {ConfigError} as {@linkcode parseConfig} does.
 */
export function loadConfig(): Config {
  const fault = findDenoFault(Deno.version.deno);
  if (fault !== null) throw new Error(fault);
  const config = parseConfig(readEnvironment());
  const { DENO_KV_ACCESS_TOKEN: accessToken } = config;
  if (accessToken !== undefined) Deno.env.set("DENO_KV_ACCESS_TOKEN", accessToken);
  return config;
}

/**
 * The variables that are set: those of this process, and those of the working directory's `.env` for names that are
 * unset or empty here. Names that begin with `OTEL_` are ignored there: they are Deno's, and Deno does not read the
 * file.
 *
 * @throws {ConfigError} naming the file, if it exists and cannot be read.
 */
export function readEnvironment(path = ".env"): Environment {
  const ours = Object.entries(parseEnv(readText(path))).filter(([name]) =>
    !name.startsWith("OTEL_")
  );
  return setIn({ ...Object.fromEntries(ours), ...setIn(Deno.env.toObject()) });
}

/** A file's text without a byte order mark; "" without a file, or for a folder, as Python's environments are named. */
function readText(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return "";
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${path}: the file cannot be read: ${reason}`]);
  }
}

function setIn(environment: Environment): Values {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value.trim() === "" ? [] : [[name, value]]
    ),
  );
}

/** The mistakes in variables that depend on each other. */
function findJointMistakes(set: Values): string[] {
  const { EVENTS_STORE, EVENTS_FILE, SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, BASE_URL } = set;
  const mistakes = EVENTS_STORE === "file" && EVENTS_FILE === undefined
    ? ["EVENTS_FILE: expected the path of a JSON file of records, since EVENTS_STORE is file"]
    : [];
  if (SIGN_IN_ISSUER === undefined) {
    const idle = Object.keys(set)
      .filter((name) => name.startsWith("SIGN_IN_") && Object.hasOwn(schema.shape, name));
    return [...mistakes, ...idle.map((name) => `${name}: has no effect without SIGN_IN_ISSUER`)];
  }
  if (SIGN_IN_CLIENT_ID === undefined) {
    mistakes.push(
      "SIGN_IN_CLIENT_ID: expected the id under which SIGN_IN_ISSUER knows this service",
    );
  }
  // Without BASE_URL, the service is at http://localhost.
  if (BASE_URL !== undefined && URL.canParse(BASE_URL) && !isProtected(new URL(BASE_URL))) {
    mistakes.push("BASE_URL: expected an https:// address, because members sign in");
  }
  return mistakes;
}
