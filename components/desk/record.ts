/** The record of changes as the desk reads it: filtered, in pages, and in words. */

import { type Change, type ChangeOfAccount, listAllChanges } from "../../lib/proxy/mod.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { formatMinute } from "../../lib/platform/time.ts";

/** The filters of the record; "" for one that is not set. */
export interface RecordQuery {
  readonly account: string;
  /** The id of an operator's or owner's account, a part of a command, or its user. */
  readonly who: string;
  /** A word such as `ban`. */
  readonly what: string;
  /** Only changes until this moment (epoch milliseconds), and how many of that very moment were shown before. */
  readonly until: number;
  readonly skip: number;
}

const PAGE = 50;
/** One page looks through so many changes; a link leads on from there. */
const MAX_READ = 2_000;

/** Reads the filters from a query string. */
export function readRecordQuery(given: URLSearchParams): RecordQuery {
  const text = (name: string) => (given.get(name) ?? "").trim();
  const whole = (name: string, otherwise: number) =>
    /^\d{1,15}$/.test(text(name)) ? Number(text(name)) : otherwise;
  return {
    ...{ account: text("account"), who: text("who"), what: text("what") },
    ...{ until: whole("until", Infinity), skip: whole("skip", 0) },
  };
}

/** A page of the record, the newest first; `next` is the query string of the page after it, or null. */
export async function readRecord(kv: Deno.Kv, query: RecordQuery) {
  const { account, who, what, until } = query;
  const changes: ChangeOfAccount[] = [];
  let [at, skip, read] = [until, 0, 0];
  for await (const change of listAllChanges(kv, 0, until)) {
    if (changes.length === PAGE || read === MAX_READ) {
      const named = Object.entries({ account, who, what }).filter(([, text]) => text !== "");
      const next = new URLSearchParams([...named, ["until", `${at}`], ["skip", `${skip}`]]);
      return { changes, next: `?${next}` };
    }
    // Changes of one moment, as an import makes them, may fill more than a page.
    skip = change.at === at ? skip + 1 : 1;
    at = change.at;
    if (at === until && skip <= query.skip) continue;
    read++;
    const isAsked = (account === "" || change.accountId === account) &&
      (what === "" || change.what.some((word) => word === what)) &&
      (who === "" || whoInWords(change).toLowerCase().includes(who.toLowerCase()));
    if (isAsked) changes.push(change);
  }
  return { changes, next: null };
}

/** Who made a change: an account's id, a command with its user, or who reported a leak. */
export function whoInWords({ by }: Pick<Change, "by">): string {
  if ("accountId" in by) return by.accountId;
  if ("reporter" in by) return `a ${by.reporter}, who reported a leak`;
  return by.user === null ? by.command : `${by.command} (${by.user})`;
}

/** What a change changed, a member each: `limit: $4.00 → $20.00`. */
export function membersInWords({ before, after }: Pick<Change, "before" | "after">): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const now = valueInWords(name, value);
    if (before !== null) {
      return [`${labelOf(name)}: ${valueInWords(name, before[name])} → ${now}`];
    }
    return value === null ? [] : [`${labelOf(name)}: ${now}`];
  });
}

/** `limitNanoUsd` as `limit`, `revokedAt` as `revoked at`. */
function labelOf(name: string): string {
  return name.replace(/NanoUsd$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueInWords(name: string, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "bigint") return `$${formatUsd(value)}`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && /(?:At|^at|^until)$/.test(name)) return formatMinute(value);
  if (Array.isArray(value)) return value.map((each) => valueInWords("", each)).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([part, each]) => `${labelOf(part)} ${valueInWords(part, each)}`)
    .join(", ");
}
