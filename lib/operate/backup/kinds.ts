/**
 * The kinds of values that a backup copies, by the first part of their keys or the first two, in the order of the
 * copy, which `backup.ts` explains, and how many there are. All other kinds are made again or are soon useless.
 */

import type { Stored } from "../../platform/kv/list.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { USAGE_DAYS } from "../../proxy/mod.ts";
import { HISTORY_MILLISECONDS } from "../health/history.ts";

/** The kinds that say who may use the service, with the record of it. They come last. */
export const ACCESS_KINDS: readonly string[] = [
  "change",
  "change_at",
  "key_of_account",
  "key_last_used",
  "key",
  "account_of_person",
  "account_of_reference",
  "account",
  "departed",
  "restriction",
];

/** Every kind that is copied. `blob events_history` is the history of events, which no read of the store can tell. */
export const COPIED_KINDS: readonly string[] = [
  "blob events_history",
  "reservation",
  "usage",
  "ledger",
  "day",
  "cap",
  "service",
  "health_day",
  "removed_until",
  ...ACCESS_KINDS,
];

const COPIED = new Set(COPIED_KINDS);

/** The kind of a key among those that are copied; null for any other. */
export function kindOf([first, second]: Deno.KvKey): string | null {
  if (typeof first !== "string") return null;
  if (COPIED.has(first)) return first;
  return typeof second === "string" && COPIED.has(`${first} ${second}`)
    ? `${first} ${second}`
    : null;
}

/**
 * The rest of a value's lifetime in milliseconds, from a moment on; null for a value without a lifetime. KV does not
 * tell it, so each kind with a lifetime says it by its value.
 */
export function lifetimeOf({ key, value }: { key: Deno.KvKey; value: unknown }, at: number) {
  // The moment until which a person who has deleted an account may have no other.
  if (key[0] === "departed") return Number(value) - at;
  // A key of a usage record names the moment of its admission fourth, one of a day of health the day second.
  if (key[0] === "usage") return Number(key[3]) + USAGE_DAYS * DAY_MILLISECONDS - at;
  if (key[0] === "health_day") return Date.parse(String(key[1])) + HISTORY_MILLISECONDS - at;
  return null;
}

/** How many of each a backup has. */
export interface Contents {
  readonly accounts: number;
  readonly keys: number;
  /** Usage records. */
  readonly records: number;
  /** Days of which there are sums. */
  readonly days: number;
}

/** Counts the values of a backup, which are added in their order. */
export function createCounter() {
  const counts = new Map<string, number>();
  const countOf = (kind: string) => counts.get(kind) ?? 0;
  let days = 0;
  let order = 0;

  return {
    /** @throws {RangeError} for a value whose kind is not copied or comes too late. */
    add({ key }: Stored): void {
      const kind = kindOf(key);
      if (kind === null) {
        throw new RangeError("a value of this kind is in no backup of this version");
      }
      const place = COPIED_KINDS.indexOf(kind);
      if (place < order) throw new RangeError("the values are not in the order of a backup");
      order = place;
      counts.set(kind, countOf(kind) + 1);
      // Each day that has sums has this one.
      if (kind === "service" && key.at(-1) === "reserved") days++;
    },
    /** The contents so far. */
    result: (): Contents => ({
      accounts: countOf("account"),
      keys: countOf("key"),
      records: countOf("usage"),
      days,
    }),
  };
}
