/** A person who asks about usage: a database with bookings, a clock, and what the tools print. */

import { run as runAnalytics } from "../../commands/analytics.ts";
import { run as runUsage } from "../../commands/usage.ts";
import type { UsageRecord } from "../../lib/accounts/books.ts";
import { parseConfig } from "../../lib/config.ts";
import { openKv } from "../../lib/kv/open.ts";
import { book, NOON } from "../analytics/world.ts";
import type { Outcome } from "./desk.ts";

type Run = (...args: string[]) => Promise<Outcome>;

export interface UsageDesk extends Disposable {
  readonly kv: Deno.Kv;
  /** What was written to the terminal besides. */
  readonly terminal: string[];
  readonly usage: Run;
  readonly analytics: Run;
  /** Books records on a page of their own. */
  book(...records: UsageRecord[]): Promise<void>;
}

/** Sits down before a database; `env` may name a ClickHouse. */
export async function sitDown(env: Record<string, string> = {}): Promise<UsageDesk> {
  const kv = await openKv(":memory:");
  const config = parseConfig(env);
  const terminal: string[] = [];
  const place = { kv, config, now: () => NOON };
  let pages = 0;
  const call = (run: typeof runAnalytics): Run => async (...args) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await run(args, {
      ...place,
      out: (text) => void out.push(`${text}\n`),
      err: (text) => void err.push(`${text}\n`),
    });
    return { code, out: out.join(""), err: err.join("") };
  };
  return {
    kv,
    terminal,
    usage: call((args, at) => runUsage(args, at, (text) => void terminal.push(text))),
    analytics: call(runAnalytics),
    book: (...records) => book(kv, records, `${NOON + ++pages}-page`),
    [Symbol.dispose]: () => kv.close(),
  };
}
