/** Authentication: from a request's headers to an account that may use the proxy. */

import { LRUCache } from "lru-cache";
import type { Log } from "../platform/log.ts";
import type { Platform } from "../platform/platform.ts";
import { type Account, accountState } from "./account.ts";
import { type ApiKey, keyState } from "./key.ts";
import { createKeyCache } from "./key_cache.ts";
import { hashKeyText, isSameHash, parseKeyText } from "./key_text.ts";
import { createUseRecorder } from "./last_use.ts";
import { type Help, RefusedCaller } from "./refusal.ts";

/** The account and key of an authenticated request. */
export interface Caller {
  /** As they were at most five seconds ago (`key_cache.ts`). */
  readonly key: ApiKey;
  readonly account: Account;
}

/** Authenticates requests. */
export type Authenticator = ReturnType<typeof createAuthenticator>;

/** The keys whose texts are not hashed again. */
const MAX_PROVEN = 1_000;

/** Creates the authenticator of a process, which caches its look-ups. */
export function createAuthenticator({ kv, now, log, config }: Pick<Platform, "kv" | "now"> & {
  /** Gets a warning when a last use could not be recorded. */
  readonly log: Pick<Log, "warn">;
  readonly config: Help;
}) {
  const lookUpKey = createKeyCache(kv, now);
  const recordUse = createUseRecorder({ kv, log });
  /** The ids of keys by texts that were right: no key ever gets another secret. */
  const proven = new LRUCache<string, string>({ max: MAX_PROVEN });

  /** @throws {RefusedCaller} for a text that cannot be a key. */
  function idIn(text: string): string {
    const parsed = parseKeyText(text);
    if (parsed.kind !== "key") throw new RefusedCaller({ reason: parsed.kind }, config);
    return parsed.id;
  }

  return {
    /**
     * Authenticates by `Authorization: Bearer <key>` or by `x-api-key: <key>`, which the
     * web search provider's client sends.
     *
     * @throws {RefusedCaller} 401 `unauthorized` without a valid key, 403 `forbidden` for an account that is banned,
     *   withdrawn or not verified.
     */
    async authenticate(headers: Headers): Promise<Caller> {
      const text = readKeyText(headers, config);
      const provenId = proven.get(text);
      const keyId = provenId ?? idIn(text);
      const found = await lookUpKey(keyId);
      const isRight = found !== null &&
        (provenId !== undefined || isSameHash(found.key.secretHash, hashKeyText(text)));
      // A wrong secret counts as an unknown key, since only the key's holder may learn its state.
      if (!isRight) throw new RefusedCaller({ reason: "unknown", keyId }, config);
      if (provenId === undefined) proven.set(text, keyId);
      const { key, account } = found;
      const at = now();
      const accountId = account.id;
      const stateOfKey = keyState(key, at);
      const state = stateOfKey === "active" ? accountState(account) : stateOfKey;
      if (state !== "active") {
        // The keys of a deleted account end with it.
        const ended = state === "deleted" ? "revoked" : state;
        const reason = ended === "revoked" && key.leak !== undefined ? "leaked" : ended;
        const { banReason } = account;
        const known = reason === "banned" && banReason !== undefined ? { banReason } : {};
        throw new RefusedCaller({ reason, keyId, accountId, ...known }, config);
      }
      recordUse(keyId, at);
      return found;
    },
  };
}

/**
 * Reads the key's text from the headers. An empty header counts as absent, because clients without a
 * configured key send one.
 *
 * @throws {RefusedCaller} if there is no key, or the headers hold different ones.
 */
function readKeyText(headers: Headers, help: Help): string {
  const authorization = headers.get("authorization") ?? "";
  const other = headers.get("x-api-key") ?? "";
  // RFC 9110, 11.1: the scheme is case-insensitive, and one or more spaces follow it.
  const bearer = /^bearer(?: +(.*))?$/i.exec(authorization);
  const text = bearer === null ? authorization : bearer[1] ?? "";
  if (text !== "" && other !== "" && (bearer === null || text !== other)) {
    throw new RefusedCaller({ reason: "conflicting" }, help);
  }
  if (bearer === null && authorization !== "") throw new RefusedCaller({ reason: "scheme" }, help);
  if (text === "" && other === "") throw new RefusedCaller({ reason: "missing" }, help);
  return text === "" ? other : text;
}
