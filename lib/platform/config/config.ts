/**
 * Configuration: the one place that reads the environment. Everything else gets a `Config`. A start reports every
 * mistake by the variable's name, and never shows its value.
 */

import { readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { z } from "zod";
import { describeMisnamed, findDoubts, findMisnamed, type Values } from "./doubts.ts";
import { findDenoFault, type Hosting, readHosting } from "./hosting.ts";
import { showIfHarmless } from "./shown.ts";
import { isProtected } from "./values.ts";
import { variableOf, VARIABLES } from "./variables.ts";

const schema = z.object(
  // Each variable has its schema, which fromEntries cannot express.
  Object.fromEntries(
    Object.entries(VARIABLES).map(([name, variable]) => [name, variable.schema]),
  ) as { [N in keyof typeof VARIABLES]: typeof VARIABLES[N]["schema"] },
);

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, checked and with defaults; `BASE_URL` has no trailing slash. */
export type Config = Readonly<
  Omit<z.output<typeof schema>, "BASE_URL"> & {
    BASE_URL: string;
    hosting: Hosting;
    /** Settings that are probably not meant, see {@linkcode findDoubts}. */
    doubts: readonly string[];
    /** Our variables that are set, each with its value if that may be shown, or null. */
    shown: Readonly<Record<string, string | null>>;
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
 * @throws {ConfigError} naming every variable that is wrong or clearly misspelt, with what may stand there.
 */
export function parseConfig(environment: Environment): Config {
  const set = setIn(environment);
  const parsed = schema.safeParse(set);
  const mistakes = [
    ...(parsed.error?.issues ?? []).map(describeMistake),
    ...findJointMistakes(set),
    ...findTypos(set),
  ];
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes);
  const hosting = readHosting(environment);
  const shown = Object.fromEntries(
    Object.entries(set).filter(([name]) => variableOf(name) !== null)
      .map(([name, value]) => [name, showIfHarmless(name, value)]),
  );
  const { BASE_URL = hosting.address ?? `http://localhost:${parsed.data.PORT}` } = parsed.data;
  const config = { ...parsed.data, BASE_URL, hosting };
  return { ...config, shown, doubts: findDoubts(config, set) };
}

/** The sentence about one mistake. It has no part of the value: a secret may have been pasted into the wrong line. */
function describeMistake({ path: [name], message }: z.core.$ZodIssue): string {
  const { example = "" } = variableOf(String(name)) ?? {};
  const isShown = example !== "" && !message.split(" ").includes(example);
  return `${String(name)}: ${message}${isShown ? `, such as ${example}` : ""}`;
}

/** A name that is nearer than this to one of ours that is not set is certainly a typo. */
const MAX_TYPO_EDITS = 2;

function findTypos(set: Values): string[] {
  return findMisnamed(set)
    .filter(({ edits, nearest }) => edits <= MAX_TYPO_EDITS && set[nearest] === undefined)
    .map(describeMisnamed);
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
  // Without quotes, `parseEnv` takes a colour such as `#0a7d5b` for a comment.
  const text = readText(path).replaceAll(
    /^(\s*(?:export\s+)?\w+=)(#[\da-f]{3,6})(?=\s|$)/gim,
    '$1"$2"',
  );
  const ours = Object.entries(parseEnv(text)).filter(([name]) => !name.startsWith("OTEL_"));
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
  const { SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, BASE_URL } = set;
  if (SIGN_IN_ISSUER === undefined) {
    return Object.keys(set)
      .filter((name) => name.startsWith("SIGN_IN_") && Object.hasOwn(VARIABLES, name))
      .map((name) => `${name}: has no effect without SIGN_IN_ISSUER`);
  }
  const mistakes: string[] = [];
  if (SIGN_IN_CLIENT_ID === undefined) {
    mistakes.push(
      "SIGN_IN_CLIENT_ID: expected the id under which SIGN_IN_ISSUER knows this service",
    );
  }
  // Without BASE_URL, the service is at http://localhost.
  if (BASE_URL !== undefined && URL.canParse(BASE_URL) && !isProtected(new URL(BASE_URL))) {
    mistakes.push(
      "BASE_URL: expected an https:// address, or one of this machine, because members sign in",
    );
  }
  if (set["SIGN_IN_TRUST_EMAIL"]?.trim() === "on" && SHARED_ISSUER.test(SIGN_IN_ISSUER)) {
    mistakes.push(
      "SIGN_IN_TRUST_EMAIL: expected off with this SIGN_IN_ISSUER, which serves many organisations, " +
        "so that any person could claim any address",
    );
  }
  return mistakes;
}

/** Issuers at which anybody can have an account: Entra's for all tenants and for private persons among them. */
const SHARED_ISSUER =
  /^https:\/\/(?:accounts\.google\.com|appleid\.apple\.com|slack\.com|gitlab\.com|www\.linkedin\.com|www\.facebook\.com|login\.microsoftonline\.com\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad))(?:\/|$)/i;
