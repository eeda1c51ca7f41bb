/** Who asks: from the request's headers to an account that may use the proxy. */

import type { Log } from "../telemetry/mod.ts";
import { type Account, accountState } from "./account.ts";
import { keyState } from "./key.ts";
import { createKeyCache } from "./key_cache.ts";
import { hashKeyText, isSameHash, parseKeyText } from "./key_text.ts";
import { createUseRecorder } from "./last_use.ts";
import { RefusedCaller } from "./refusal.ts";

/** Whoever sent a request with a good key. */
export interface Caller {
  /** As it was at most three seconds ago. */
  readonly account: Account;
  /** The public id of the key. */
  readonly keyId: string;
}

/** Finds out who asks. */
export interface Authenticator {
  /**
   * The caller, by `Authorization: Bearer <key>` (proxy contract, section 5) or `x-api-key: <key>`,
   * which the web search provider's client sends.
   *
   * @throws {RefusedCaller} 401 `unauthorized` without a good key, 403 `forbidden` for an account that
   *   is banned or not verified.
   */
  authenticate(headers: Headers): Promise<Caller>;
}

/** What {@linkcode createAuthenticator} needs. */
interface AuthenticatorOptions {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hears of last uses that could not be recorded. */
  readonly log: Pick<Log, "warn">;
}

/** Makes the authenticator of a process: it holds what it has looked up. */
export function createAuthenticator({ kv, now, log }: AuthenticatorOptions): Authenticator {
  const lookUpKey = createKeyCache({ kv, now });
  const recordUse = createUseRecorder({ kv, log });
  return {
    async authenticate(headers) {
      const text = readKeyText(headers);
      const parsed = parseKeyText(text);
      if (parsed.kind !== "key") throw new RefusedCaller({ reason: parsed.kind });
      const keyId = parsed.id;
      const found = await lookUpKey(keyId);
      // A wrong secret is an unknown key: the state of a key is for who holds it.
      if (found === null || !isSameHash(found.key.secretHash, hashKeyText(text))) {
        throw new RefusedCaller({ reason: "unknown", keyId });
      }
      const { key, account } = found;
      const at = now();
      const state = keyState(key, at);
      const accountId = account.id;
      if (state !== "active") throw new RefusedCaller({ reason: state, keyId, accountId });
      const standing = accountState(account);
      if (standing !== "active") throw new RefusedCaller({ reason: standing, keyId, accountId });
      recordUse(keyId, at);
      return { account, keyId };
    },
  };
}

/**
 * The text that stands where a key belongs. An empty header counts as none, as clients send it whose
 * own configuration lacks the key.
 */
function readKeyText(headers: Headers): string {
  const authorization = headers.get("authorization") ?? "";
  const other = headers.get("x-api-key") ?? "";
  // RFC 9110, 11.1: the scheme in any case, then one space or more.
  const bearer = /^bearer(?: +(?<text>.*))?$/i.exec(authorization);
  const text = bearer === null ? authorization : bearer.groups?.["text"] ?? "";
  if (text !== "" && other !== "" && (bearer === null || text !== other)) {
    throw new RefusedCaller({ reason: "conflicting" });
  }
  if (bearer === null && authorization !== "") throw new RefusedCaller({ reason: "scheme" });
  if (text === "" && other === "") throw new RefusedCaller({ reason: "missing" });
  return text === "" ? other : text;
}
