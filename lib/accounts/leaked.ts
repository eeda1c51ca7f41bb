/**
 * Leaked keys: a report with the whole text of a key revokes the key, and needs no account. The response is the same
 * for every text, so it reveals nothing.
 */

import type { Log } from "../platform/log.ts";
import type { Platform } from "../platform/platform.ts";
import { getKey, revokeKey } from "./key.ts";
import { hashKeyText, isSameHash, parseKeyText } from "./key_text.ts";

/**
 * Revokes the key with a text, at once, and notes the report on it. A repeated report changes nothing.
 *
 * A text with a right checksum costs one read, as a request with an unknown key does. The number of reads has no
 * limit of its own, because anyone can make up such texts, and those would then keep true reports out.
 */
export async function reportLeak(
  text: string,
  { kv, now, log }: Pick<Platform, "kv" | "now"> & { readonly log: Pick<Log, "warn"> },
): Promise<void> {
  const parsed = parseKeyText(text);
  if (parsed.kind !== "key") return;
  const key = await getKey(kv, parsed.id);
  if (key === null || !isSameHash(key.secretHash, hashKeyText(text))) return;
  if (key.leak !== undefined) return;
  await revokeKey(kv, key.id, { at: now(), by: { reporter: "visitor" } });
  log.warn("A leaked key was revoked.", { keyId: key.id, accountId: key.accountId });
}
