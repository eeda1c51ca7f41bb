/**
 * The kinds of values that a backup copies, by the first part of their keys or the first two, in the order of the
 * copy, which `backup.ts` explains. All other kinds are made again or are soon useless.
 */

/** The kinds that say who may use the service, with the record of it. They come last. */
export const ACCESS_KINDS: readonly string[] = [
  "change",
  "key_of_account",
  "key_last_used",
  "key",
  "account_of_person",
  "account_of_reference",
  "account",
  "departed",
  "restriction",
];

/** Every kind that is copied. `blob events` is the snapshot: it can be made again, but not its history. */
export const COPIED_KINDS: readonly string[] = [
  "blob events",
  "outbox",
  "analytics rows",
  "analytics pages",
  "reservations",
  "usage",
  "spend",
  "spend_of_key",
  "service_spend",
  "analytics aside",
  "health_day",
  "days_seen",
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
  return key[0] === "departed" ? Number(value) - at : null;
}
