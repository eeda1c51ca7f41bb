/** Runs subcommands of `foyer` without a process, to check their effects and their output. */

import assert from "node:assert/strict";
import { runFoyer } from "../../commands/foyer.ts";
import type { Workplace } from "../../commands/frame.ts";
import type { Installation } from "../../lib/operate/doctor.ts";
import type { UsageRecord } from "../../lib/proxy/ledger/values.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { mark } from "../proxy/records/clickhouse.ts";
import { type AccountsWorld, openAccounts } from "../support/accounts.ts";
import { bookRecords } from "../support/booked.ts";
import type { Foyer } from "../support/foyer.ts";

/** The result of a call. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Run = (...args: string[]) => Promise<Outcome>;

/** A person at a terminal. */
export interface Desk extends AccountsWorld {
  readonly accounts: Run;
  readonly analytics: Run;
  readonly keys: Run;
  readonly requests: Run;
  readonly usage: Run;
  /** Calls any subcommand. */
  readonly call: Run;
  /** Books usage records, and marks them for ClickHouse if it is configured. */
  book(...records: UsageRecord[]): Promise<void>;
}

/** Calls a subcommand, which may open a workplace unless it is null, and returns its output. */
export async function callTool(
  name: string,
  args: readonly string[],
  place: Workplace | null,
  installation?: Installation,
): Promise<Outcome> {
  const [out, err]: [string[], string[]] = [[], []];
  const streams = {
    out: (text: string) => void out.push(`${text}\n`),
    err: (text: string) => void err.push(`${text}\n`),
  };
  const code = await runFoyer([name, ...args], streams, {
    open: () => Promise.resolve(place ?? assert.fail("a workplace is opened")),
    installation: () => installation ?? assert.fail("an installation is examined"),
  });
  return { code, out: out.join(""), err: err.join("") };
}

/** Calls a subcommand at the database of a running service, with its configuration and its clock. */
export const callAt = (
  { kv, services: { config }, clock }: Pick<Foyer, "kv" | "services" | "clock">,
  name: string,
  ...args: string[]
): Promise<Outcome> => callTool(name, args, { kv, config, now: () => clock.now });

/** Sits down before an empty database; `env` may name a ClickHouse. */
export async function sitDown(env: Record<string, string> = {}): Promise<Desk> {
  const world = await openAccounts();
  const config = parseConfig({ DAILY_LIMIT_USD: "4", ...env });
  const place = { ...world, config };
  const call = (name: string): Run => (...args) => callTool(name, args, place);
  return {
    ...world,
    accounts: call("accounts"),
    analytics: call("analytics"),
    keys: call("keys"),
    requests: call("requests"),
    usage: call("usage"),
    call: (name = "", ...args) => callTool(name, args, place),
    async book(...records) {
      await bookRecords(world.kv, ...records);
      if (config.ANALYTICS_URL !== undefined) await mark(world.kv, ...records);
    },
  };
}

/** The output of a call, which must succeed without output on stderr. */
export async function done(call: Promise<Outcome>): Promise<string> {
  const { code, out, err } = await call;
  assert.equal(err, "");
  assert.equal(code, 0);
  return out;
}

/** The one line of JSON that a call printed. */
// deno-lint-ignore no-explicit-any -- the tests read fields of many shapes, and fail if they are missing
export async function json(call: Promise<Outcome>): Promise<any> {
  const out = await done(call);
  assert.match(out, /^[^\n]+\n$/);
  return JSON.parse(out);
}

/** The one sentence about a mistake, which must have the exit code and print nothing else. */
export async function mistake(call: Promise<Outcome>, exitCode: 1 | 2 = 2): Promise<string> {
  const { code, out, err } = await call;
  assert.equal(out, "");
  assert.match(err, /^error: [^\n]+(\n\(Did you mean [^\n]+)?\n$/);
  assert.ok(!err.includes("    at "), "no stack");
  assert.equal(code, exitCode, err);
  return err.trim();
}
