/**
 * Leaked keys: a report with the whole text of a key revokes the key, and needs no account. The response is the same
 * for every text, so it reveals nothing.
 */

import { PublicError } from "../http/mod.ts";
import type { Log } from "../telemetry/mod.ts";
import { getKey, revokeKey } from "./key.ts";
import { hashKeyText, isSameHash, parseKeyText } from "./key_text.ts";

/** Each look-up reads the database once. */
const VISITORS_PER_SECOND = 20;

/** Creates the reports of a process. */
export function createLeakReports({ kv, now, log }: {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}) {
  let [second, looked] = [0, 0];

  function limitVisitors(): void {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, looked] = [current, 0];
    if (++looked <= VISITORS_PER_SECOND) return;
    throw new PublicError("service_unavailable", "Too many keys are being reported.", {
      hint: "Nothing was done. Try again in a second.",
      headers: { "retry-after": "1" },
    });
  }

  return {
    /**
     * Revokes the key with a text, at once, and notes the report on it. A repeated report changes nothing.
     *
     * @throws {PublicError} `service_unavailable` if visitors report more keys than a process looks up.
     */
    async report(text: string): Promise<void> {
      const parsed = parseKeyText(text);
      // Only a text with a right checksum costs a look-up.
      if (parsed.kind !== "key") return;
      limitVisitors();
      const key = await getKey(kv, parsed.id);
      if (key === null || !isSameHash(key.secretHash, hashKeyText(text))) return;
      await revokeKey(kv, key.id, now(), { at: now() });
      log.warn("A leaked key was revoked.", { keyId: key.id, accountId: key.accountId });
    },
  };
}
