/** Renders keys, without their secrets except right after they were created. */

import {
  type ApiKey,
  type CreatedKey,
  getLastUses,
  keyEndsAt,
  keyState,
} from "../lib/accounts/mod.ts";
import { alignColumns, formatMoment, toIso } from "./values.ts";

/** A key and its last use in epoch milliseconds; null for never. */
export interface KeyUse {
  readonly key: ApiKey;
  readonly lastUsedAt: number | null;
}

/** Reads the last uses of keys. */
export async function withLastUses(kv: Deno.Kv, keys: readonly ApiKey[]): Promise<KeyUse[]> {
  const uses = await getLastUses(kv, keys.map(({ id }) => id));
  return keys.map((key, index) => ({ key, lastUsedAt: uses[index] ?? null }));
}

/** A key for `--json`, without the hash of its secret. */
export function toKeyJson({ key, lastUsedAt }: KeyUse, now: number) {
  return {
    id: key.id,
    accountId: key.accountId,
    name: key.label,
    state: keyState(key, now),
    createdAt: toIso(key.createdAt),
    expiresAt: toIso(key.expiresAt),
    revokedAt: toIso(key.revokedAt),
    lastUsedAt: toIso(lastUsedAt),
  };
}

/** A new key for `--json`, with its text under `key`. */
export function toCreatedKeyJson({ key, text }: CreatedKey, now: number) {
  return { ...toKeyJson({ key, lastUsedAt: null }, now), key: text };
}

/** A table of an account's keys. */
export function renderKeys(keys: readonly KeyUse[], now: number): string {
  if (keys.length === 0) return "No keys yet: `deno task keys create ACCOUNT` creates one.";
  return alignColumns([
    ["ID", "STATE", "CREATED", "ENDS", "LAST USED", "NAME"],
    ...keys.map(({ key, lastUsedAt }) => [
      key.id,
      keyState(key, now),
      formatMoment(key.createdAt),
      formatMoment(keyEndsAt(key)),
      formatMoment(lastUsedAt),
      key.label ?? "-",
    ]),
  ]).join("\n");
}

/** One key in detail. */
export function renderKey({ key, lastUsedAt }: KeyUse, now: number): string {
  return alignColumns([
    ["Key", key.id],
    ["Account", key.accountId],
    ["Name", key.label ?? "-"],
    ["State", keyState(key, now)],
    ["Created", formatMoment(key.createdAt)],
    ["Expires", formatMoment(key.expiresAt)],
    ["Revoked", formatMoment(key.revokedAt)],
    ["Last used", formatMoment(lastUsedAt)],
  ]).join("\n");
}

/** A new key with its text. */
export function renderCreatedKey({ key, text }: CreatedKey): string {
  return [
    `Created the key ${key.id} of ${key.accountId}. Keep it now: it is shown only once.`,
    "",
    `  ${text}`,
    "",
    key.expiresAt === null ? "It does not expire." : `It expires ${formatMoment(key.expiresAt)}.`,
    "Send it as `Authorization: Bearer <key>`.",
  ].join("\n");
}
