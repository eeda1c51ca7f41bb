/**
 * GitHub's secret scanning partner program (docs.github.com/code-security/secret-scanning: "Secret scanning partner
 * program"): GitHub posts the secrets that it finds, signed, and learns which of them are real.
 */

import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";
import { PublicError, readBounded, readShortBody } from "../http/mod.ts";
import { parseJson } from "../json.ts";
import { DAY_MILLISECONDS } from "../time.ts";

const ID_HEADER = "github-public-key-identifier";
const SIGNATURE_HEADER = "github-public-key-signature";
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_KEYS_BYTES = 256 * 1024;
/** The largest number of secrets in a message; GitHub sends a few. */
const MAX_SECRETS = 500;
/**
 * Keys are read again after a day. For an unknown id they are read at most once a minute, because any caller may send
 * one.
 */
const KEYS_MILLISECONDS = DAY_MILLISECONDS;
const RETRY_MILLISECONDS = 60_000;
const FETCH_MILLISECONDS = 10_000;

const keysSchema = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});
const secretSchema = z.object({
  token: z.string().max(1_000),
  type: z.string().max(100),
  /** Where it was found, enough to find the leak; null if GitHub does not state it. */
  url: z.string().nullish()
    .transform((url) => url && URL.canParse(url) ? url.slice(0, 500) : null),
});
const messageSchema = z.array(secretSchema).max(MAX_SECRETS);

/** A secret that GitHub has found. */
type FoundSecret = z.output<typeof secretSchema>;

/** Creates the reader of GitHub's messages. */
export function createSecretScanning({ keysUrl, fetch, now }: {
  /** The address of GitHub's public keys. */
  readonly keysUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}) {
  let keys = new Map<string, KeyObject>();
  let readAt = -Infinity;
  /** The last read; a failed one counts until the next. */
  let reading: Promise<void> = Promise.resolve();

  async function readKeys(): Promise<void> {
    const response = await fetch(keysUrl, { signal: AbortSignal.timeout(FETCH_MILLISECONDS) });
    if (!response.ok) throw new Error(`GitHub's keys: status ${response.status}`);
    const tooLong = () => new Error("GitHub's keys are too long");
    const bytes = await readBounded(response.body, MAX_KEYS_BYTES, tooLong);
    const { public_keys } = keysSchema.parse(parseJson(new TextDecoder().decode(bytes)));
    keys = new Map(
      public_keys.map(({ key_identifier, key }) => [key_identifier, createPublicKey(key)]),
    );
  }

  async function keyOf(id: string): Promise<KeyObject | null> {
    const age = Math.abs(now() - readAt);
    if (age > KEYS_MILLISECONDS || !keys.has(id) && age > RETRY_MILLISECONDS) {
      readAt = now();
      reading = readKeys();
    }
    try {
      await reading;
    } catch (cause) {
      // Known keys still work.
      if (!keys.has(id)) {
        throw new PublicError("upstream_error", "GitHub's public keys cannot be read.", {
          headers: { "retry-after": "60" },
          cause,
        });
      }
    }
    return keys.get(id) ?? null;
  }

  return {
    /**
     * The secrets of a message.
     *
     * @throws {PublicError} 401 unless GitHub has signed exactly these bytes; 413, 422 for another message; 502 if
     *   GitHub's keys cannot be read.
     */
    async read(request: Request): Promise<readonly FoundSecret[]> {
      const bytes = await readShortBody(request, MAX_BODY_BYTES);
      const key = await keyOf(request.headers.get(ID_HEADER) ?? "");
      const signature = request.headers.get(SIGNATURE_HEADER) ?? "";
      if (key === null || !isSigned(bytes, signature, key)) {
        throw new PublicError("unauthorized", "The message is not signed by GitHub.", {
          headers: { "www-authenticate": "Signature" },
        });
      }
      const message = messageSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
      if (message.success) return message.data;
      throw new PublicError("validation_failed", "The message is not a list of secrets.");
    },
  };
}

/** The label of a secret for GitHub, by the secret's hash: the response repeats no secret. */
export function labelOf({ token, type }: FoundSecret, isOurs: boolean) {
  return {
    token_hash: createHash("sha256").update(token).digest("base64"),
    token_type: type,
    label: isOurs ? "true_positive" : "false_positive",
  };
}

/** Whether a key has signed these bytes: ECDSA with P-256 and SHA-256, the signature as DER in base64. */
function isSigned(bytes: Uint8Array, signature: string, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== "ec") return false;
  try {
    return verify("sha256", bytes, key, Uint8Array.fromBase64(signature));
  } catch {
    // Invalid base64 or an invalid signature counts as unsigned.
    return false;
  }
}
