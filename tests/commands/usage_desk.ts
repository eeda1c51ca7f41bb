/** A person who asks about usage: a database with bookings, a clock, and what the tools print. */

import { tool as analytics } from "../../commands/analytics.ts";
import type { Tool } from "../../commands/tool.ts";
import { tool as usage } from "../../commands/usage.ts";
import type { UsageRecord } from "../../lib/accounts/books.ts";
import { parseConfig } from "../../lib/config.ts";
import { openKv } from "../../lib/kv/open.ts";
import { book, NOON } from "../analytics/world.ts";
import { callTool, type Outcome } from "./desk.ts";

type Run = (...args: string[]) => Promise<Outcome>;

/** A database with bookings, the tools that look at it, and a terminal. */
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
  const write = (text: string) => void terminal.push(text);
  const place = { kv, config, now: () => NOON, terminal: write };
  let pages = 0;
  const call = (tool: Tool): Run => (...args) => callTool(tool, args, place);
  return {
    kv,
    terminal,
    usage: call(usage),
    analytics: call(analytics),
    book: (...records) => book(kv, records, `${NOON + ++pages}-page`),
    [Symbol.dispose]: () => kv.close(),
  };
}
