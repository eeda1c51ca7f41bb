/** The keys that a member makes. Their number is limited, however many requests race. */

import { PublicError } from "../../platform/http/errors.ts";
import { getEntry } from "../../platform/kv/list.ts";
import { type Account, accountKey, accountState, knownAccount } from "./account.ts";
import type { Origin } from "./changes.ts";
import {
  type CreatedKey,
  createKey,
  keyState,
  listKeys,
  type NewKey,
  type Permit,
  rotateKey,
  type RotationOptions,
} from "./key.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";

/** How many keys of a member may work at a time, including those that a rotation ends later. */
export const MAX_LIVE_KEYS = 20;
/** How many keys a member may make in 24 hours: records of keys are kept for ever. */
const MAX_KEYS_A_DAY = 50;

/**
 * Creates a key for the owner of its account.
 *
 * @throws {PublicError} `rate_limited` if the owner has too many keys, `forbidden` if the account was deleted or banned.
 * @throws {RangeError} as {@linkcode createKey} does.
 */
export async function createOwnKey(kv: Deno.Kv, asked: NewKey, now: number): Promise<CreatedKey> {
  const origin = { at: now, by: { accountId: asked.accountId } };
  return await createKey(kv, asked, origin, permitOwn(kv, now));
}

/**
 * Rotates a key for the owner of its account, as {@linkcode rotateKey} does; for an operator without a limit.
 *
 * @throws {PublicError} as {@linkcode createOwnKey} does, and `bad_request` for a key that no longer works or was
 *   rotated before.
 */
export async function rotateOwnKey(
  kv: Deno.Kv,
  id: string,
  overlap: RotationOptions,
  origin: Origin,
  { isLimited = true }: { readonly isLimited?: boolean } = {},
): Promise<CreatedKey> {
  // Without an overlap, the new key takes the old one's place.
  const freed = overlap.overlapMilliseconds === 0 ? 1 : 0;
  const permit = isLimited ? permitOwn(kv, origin.at, freed) : undefined;
  const rotation = await rotateKey(kv, id, overlap, origin, permit);
  if (rotation.kind === "rotated") return rotation;
  const why = {
    unknown: "There is no such key.",
    revoked: "The key is revoked.",
    expired: "The key has expired.",
    ending: "The key was rotated already, and still works for a while.",
  }[rotation.kind];
  throw new PublicError("bad_request", why, { hint: "Create a new key." });
}

/** Permits one more key. The commit also checks and rewrites the account, so permits never race. */
function permitOwn(kv: Deno.Kv, now: number, freed = 0): Permit {
  return async function permit(accountId) {
    const account = await getEntry<Account>(kv, accountKey(accountId));
    const state = account.value === null ? "deleted" : accountState(knownAccount(account.value));
    if (state !== "active" && state !== "unverified") {
      const message = `The account is ${state}, so no key can be created for it.`;
      throw new PublicError("forbidden", message);
    }
    const keys = await listKeys(kv, accountId);
    const live = keys.filter((key) => keyState(key, now) === "active").length - freed;
    if (live >= MAX_LIVE_KEYS) {
      throw tooMany(
        `${MAX_LIVE_KEYS} of your keys work already.`,
        "Revoke one that you do not use.",
      );
    }
    const recent = keys.filter(({ createdAt }) => createdAt > now - DAY_MILLISECONDS).length;
    if (recent >= MAX_KEYS_A_DAY) {
      throw tooMany(`You have made ${MAX_KEYS_A_DAY} keys in 24 hours.`, "Try again tomorrow.");
    }
    return (operation) => void operation.check(account).set(account.key, account.value);
  };
}

function tooMany(message: string, hint: string): PublicError {
  return new PublicError("rate_limited", message, { hint });
}
