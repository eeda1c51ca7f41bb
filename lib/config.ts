/**
 * Configuration: the one place that reads the environment. Everything else gets a `Config`. A start reports every
 * mistake by the variable's name, with the value unless it may contain a secret.
 */

import { readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { type ClaimRule, ClaimRuleError, parseClaimRule } from "./claim_rule.ts";
import { COLUMN_NAMES, EVENT_FIELDS, type EventField } from "./columns.ts";
import { findDenoFault } from "./deno_version.ts";
import { type Hosting, isSideTimeline, readHosting } from "./hosting.ts";
import { isObject, parseJson } from "./json.ts";
import { parseUsd } from "./money.ts";
import { makePrintable } from "./text.ts";
import { FOYER } from "./site_name.ts";
import { findStrayNames, type StrayName } from "./typos.ts";

const text = z.string().trim().min(1);

/** An absolute http(s) address without a trailing slash, query or fragment. */
const address = text.transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  // `search` and `hash` are "" for a bare `?` or `#` too, so the whole address is compared.
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== url.origin + url.pathname) {
    context.addIssue("expected an http:// or https:// address without credentials or a query");
    return z.NEVER;
  }
  return url.href.replace(/\/+$/, "");
});

/** The identifier of an identity provider, unchanged: with or without a trailing slash it is another one. */
const issuer = text.transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isPlain = url !== null && [url.origin, url.href, url.href.slice(0, -1)].includes(value) &&
    url.href === url.origin + url.pathname;
  if (isPlain && isProtected(url)) return value;
  context.addIssue("expected the https:// address that the identity provider calls its issuer");
  return z.NEVER;
});

const scopes = text.refine(
  (value) => value.split(/\s+/).includes("openid"),
  `expected scopes with spaces between them, openid among them`,
);

const claimRule = text.transform((value, context): ClaimRule => {
  try {
    return parseClaimRule(value);
  } catch (error) {
    if (!(error instanceof ClaimRuleError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
});

/** A header's value. The platform's error about any other value would reveal it. */
const token = text.regex(/^[\x21-\x7e]+$/, "expected a token of ASCII characters without spaces");

const wholeNumber = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}`;
  return text.regex(/^\d{1,12}$/, expected).transform(Number)
    .refine((value) => value >= min && value <= max, expected);
};

/** An amount of dollars as {@linkcode parseUsd} reads it, in nano-dollars. */
const usd = text.transform((value, context) => {
  const amount = parseUsd(value);
  if (amount !== null) return amount;
  context.addIssue("expected an amount of US dollars such as 4 or 0.042");
  return z.NEVER;
});

const timeZone = text.refine((zone) => {
  try {
    Temporal.Now.plainDateISO(zone);
    return true;
  } catch {
    return false;
  }
}, "expected an IANA time zone such as Europe/Berlin");

/** A contact as RFC 9116, section 2.5.3, requires it; a bare address is an e-mail address. */
const contact = text.transform((value, context) => {
  const uri = /^[^\s:@]+@[^\s:@]+$/.test(value) ? `mailto:${value}` : value;
  if (/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]\S*|tel:\+?[\d().-]+)$/.test(uri)) return uri;
  context.addIssue("expected an e-mail address, or an https:, mailto: or tel: address");
  return z.NEVER;
});

/** The path of a file with one of these endings, or an address at which such a file is. */
const file = (ending: RegExp, what: string) => {
  const expected = `expected the path of ${what}, or its https:// address`;
  // One letter with a colon is a drive.
  const isAddress = (value: string) => /^[a-z][a-z\d+.-]+:/i.test(value);
  return text.refine(
    (value) =>
      isAddress(value)
        ? /^https:\/\/[^\s/@]+\/\S*$/i.test(value) && URL.canParse(value)
        : ending.test(value) && !value.includes("\0"),
    expected,
  );
};

/** A text that stands in one line of a page or a picture. */
const line = (maxLength: number) => {
  const expected = `expected one line of at most ${maxLength} characters`;
  return text.refine(
    (value) => value.length <= maxLength && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value),
    expected,
  );
};

const LINK_LABEL = line(30);
const MAX_LINKS = 8;

/** Links by their labels, in the order given. */
const links = text.transform((value, context) => {
  const given = parseJson(value);
  if (!isObject(given)) {
    context.addIssue(
      `expected a JSON object from label to address, such as {"Imprint":"https://example.org/imprint"}`,
    );
    return z.NEVER;
  }
  const found: { label: string; href: string }[] = [];
  for (const [typed, href] of Object.entries(given)) {
    const label = LINK_LABEL.safeParse(typed);
    if (label.success && typeof href === "string" && isLinkAddress(href)) {
      found.push({ label: label.data, href });
      continue;
    }
    const message = label.success
      ? `the address of ${
        showValue(typed) ?? "a link"
      } is none; expected an https:, mailto: or tel: address, or a path of this site such as /docs`
      : "a label is empty or too long; expected one line of at most 30 characters";
    context.addIssue({ code: "custom", message, path: [typed] });
  }
  if (found.length > MAX_LINKS) context.addIssue(`expected at most ${MAX_LINKS} links`);
  return found;
});

function isLinkAddress(href: string): boolean {
  return /^(?:mailto:[^\s@]+@[^\s@]+|tel:\+?[\d().-]+|\/(?![/\\])[^\s\\]*)$/.test(href) ||
    /^https?:\/\/[^\s/@]+(?:\/|$)\S*$/.test(href) && URL.canParse(href);
}

const columns = text.transform((value, context) => {
  const given = parseJson(value);
  if (!isObject(given)) {
    context.addIssue(
      `expected a JSON object from field to column name, such as {"name":"Title"}`,
    );
    return z.NEVER;
  }
  const found: Record<EventField, string> = { ...COLUMN_NAMES };
  for (const [name, column] of Object.entries(given)) {
    const field = EVENT_FIELDS.find((each) => each === name);
    const { data } = text.safeParse(column);
    if (field !== undefined && data !== undefined) found[field] = data;
    else context.addIssue({ code: "custom", message: columnMistake(name, column), path: [name] });
  }
  return found;
});

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
  EVENTS_REFRESH_SECRET: token.refine(
    ({ length }) => length >= 16,
    "expected at least 16 characters, such as those of: openssl rand -hex 24",
  ).optional(),
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
  ANALYTICS_KV_PATH: text.optional(),
  ANALYTICS_RETENTION_DAYS: wholeNumber(1, 3650).optional(),
  DAILY_LIMIT_USD: usd.default(4_000_000_000n),
  SERVICE_DAILY_LIMIT_USD: usd.optional(),
  KEY_PREFIX: text.regex(
    /^[a-z][a-z0-9]{1,19}$/,
    "expected 2 to 20 lower-case letters and digits, a letter first, such as acme",
  ).default("foyer"),
  SECRET_SCANNING_KEYS_URL: address.optional(),
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
}).refine(
  ({ EVENTS_STORE, EVENTS_FILE }) => EVENTS_STORE !== "file" || EVENTS_FILE !== undefined,
  {
    path: ["EVENTS_FILE"],
    error: "expected the path of a JSON file of records, since EVENTS_STORE is file",
    // Checked even if other variables are wrong, since all mistakes are reported together.
    when: () => true,
  },
);

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, checked and with defaults; `BASE_URL` has no trailing slash. */
export type Config = Readonly<
  Omit<z.output<typeof schema>, "BASE_URL"> & {
    BASE_URL: string;
    /** `request`: each request's own host takes its place (`createServicesByHost`). */
    baseUrlFrom: "variable" | "platform" | "request" | "default";
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
    ...findSignInMistakes(set),
    ...listStrayNames(set).filter(({ isTypo }) => isTypo)
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
  const { address, timeline } = hosting;
  if (address !== null && timeline === "production") {
    return { BASE_URL: address, baseUrlFrom: "platform" };
  }
  const baseUrlFrom = isSideTimeline(hosting) ? "request" : "default";
  return { BASE_URL: `http://localhost:${PORT}`, baseUrlFrom };
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
 * The environment of this process, with the variables of the working directory's `.env` as defaults. Those that begin
 * with `OTEL_` are ignored there: they are Deno's, and Deno does not read the file.
 *
 * @throws {ConfigError} naming the file, if it exists and cannot be read.
 */
export function readEnvironment(path = ".env"): Environment {
  const ours = Object.entries(parseEnv(readText(path))).filter(([name]) =>
    !name.startsWith("OTEL_")
  );
  return { ...Object.fromEntries(ours), ...Deno.env.toObject() };
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

/**
 * A value in quotes for a message: on one line, without the accounts and queries of addresses. Null for a value that
 * looks like a key, which may have been pasted into the wrong line.
 */
export function showValue(value: string): string | null {
  if (/^(?=.*\d)(?=.*[a-z])[\w.-]{20,}$/i.test(value)) return null;
  const harmless = (/:.*@/s.test(value) ? value.replace(/^(\w+:\/\/)?.*@/s, "$1…@") : value)
    .replace(/([?#]).+$/s, "$1…");
  const short = harmless.length > MAX_SHOWN ? `${harmless.slice(0, MAX_SHOWN)}…` : harmless;
  return makePrintable(
    JSON.stringify(short),
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Longer values are shortened. */
const MAX_SHOWN = 60;

type Values = Readonly<Record<string, string>>;

function setIn(environment: Environment): Values {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value.trim() === "" ? [] : [[name, value]]
    ),
  );
}

/** The mistakes of variables that mean nothing without each other. */
function findSignInMistakes(set: Values): string[] {
  const { SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, BASE_URL } = set;
  if (SIGN_IN_ISSUER === undefined) {
    return Object.keys(set)
      .filter((name) => name.startsWith("SIGN_IN_") && Object.hasOwn(schema.shape, name))
      .map((name) => `${name}: has no effect without SIGN_IN_ISSUER`);
  }
  const mistakes = SIGN_IN_CLIENT_ID === undefined
    ? ["SIGN_IN_CLIENT_ID: expected the id under which SIGN_IN_ISSUER knows this service"]
    : [];
  // Without it, the service is at http://localhost.
  if (BASE_URL !== undefined && URL.canParse(BASE_URL) && !isProtected(new URL(BASE_URL))) {
    mistakes.push("BASE_URL: expected an https:// address, because members sign in");
  }
  return mistakes;
}

/** Whether nobody on the network can read what goes to an address: it is reached by TLS, or on this machine. */
function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === "https:" ||
    protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The sentence about one mistake, with the value unless it is secret or in the message already. */
function describeMistake({ path: [name], path, message }: z.core.$ZodIssue, set: Values): string {
  const variable = String(name);
  const sentence = `${variable}: ${message}`;
  const value = Object.hasOwn(set, variable) ? set[variable] : undefined;
  if (value === undefined || isSecret(variable)) return sentence;
  const isPart = path.length > 1;
  if (holdsSecret(value, set)) {
    return isPart ? `${variable}: not as expected; its value contains a secret` : sentence;
  }
  const shown = isPart ? null : showValue(value.trim());
  return shown === null ? sentence : `${sentence}; got ${shown}`;
}

/** Whether a value contains that of a secret, ours or another program's. */
function holdsSecret(value: string, set: Values): boolean {
  return Object.entries(set).some(([name, secret]) =>
    isSecret(name) && value.includes(secret.trim())
  );
}

function isSecret(name: string): boolean {
  return /(?:KEY|TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIALS?|_PAT|PASS)$/i.test(name);
}

function columnMistake(name: string, column: unknown): string {
  if (EVENT_FIELDS.some((each) => each === name)) {
    const kind = Array.isArray(column) ? "a list" : isObject(column) ? "an object" : column;
    return `the column of ${name} is ${
      typeof kind === "string" && kind.trim() === "" ? "empty" : kind
    }; expected its name`;
  }
  const nearest = nearestField(name);
  const known = nearest === null
    ? `expected ${EVENT_FIELDS.join(", ")}`
    : `the nearest is ${nearest}`;
  const shown = showValue(name);
  return `${shown === null ? "a name is no field" : `no field is called ${shown}`}; ${known}`;
}

/** The field with the nearest letters, ignoring all other characters; null if none is near. */
function nearestField(name: string): EventField | null {
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const letters = lettersOf(name);
  const last = EVENT_FIELDS.find((field) => lettersOf(field.split(".").at(-1) ?? "") === letters);
  if (last !== undefined) return last;
  const nearest = closest(letters, EVENT_FIELDS.map(lettersOf));
  if (distance(letters, nearest) > nearest.length / 2) return null;
  return EVENT_FIELDS.find((field) => lettersOf(field) === nearest) ?? null;
}
