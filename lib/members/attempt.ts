/**
 * An attempt to sign in, from the redirect to the identity provider to the callback. All of it is in one cookie of
 * the browser, named after its state, so that attempts in several tabs stand beside each other, and this service stores
 * nothing about attempts that never end.
 */

import { sha256 } from "../platform/digest.ts";
import { randomToken } from "../platform/random.ts";

/**
 * Why a person signs in: to enter, or to prove their identity again, before the account is deleted or for a page of the
 * desk, which is named by its path without the first slash.
 */
export type Purpose = "enter" | "delete" | `desk${string}`;

/** An attempt, with its secrets, all derived from its cookie. */
export type Attempt = ReturnType<typeof derive>;

/** How long a person may take at the provider. */
export const ATTEMPT_SECONDS = 600;

/** A path below /desk holds ids and words alone, so it leads to no other site. */
const DESK = "desk(?:/[\\w-]{1,64}){0,4}";
const TEXT = new RegExp(`^(?<purpose>enter|delete|${DESK})\\.(?<at>\\d{1,15})\\.[\\w-]{43}$`);
const PURPOSE = new RegExp(`^(?:delete|${DESK})$`);

/** The purpose that an address names; any other text means that a person enters. */
export function readPurpose(text: string | null): Purpose {
  // The pattern has only texts of this type.
  return PURPOSE.test(text ?? "") ? text as Purpose : "enter";
}

/** Begins an attempt at a moment (epoch milliseconds). */
export function beginAttempt(purpose: Purpose, now: number): Attempt {
  return derive(purpose, now, `${purpose}.${now}.${randomToken(32)}`);
}

/** The attempt of a cookie; null if it is too old or malformed. */
export function readAttempt(text: string | undefined, now: number): Attempt | null {
  const { purpose, at } = TEXT.exec(text ?? "")?.groups ?? {};
  if (text === undefined || purpose === undefined) return null;
  const age = now - Number(at);
  // The isolate that began it may have a clock that is ahead.
  if (age < -ATTEMPT_SECONDS * 1000 || age > ATTEMPT_SECONDS * 1000) return null;
  return derive(readPurpose(purpose), Number(at), text);
}

function derive(purpose: Purpose, startedAt: number, text: string) {
  const part = (name: string) => sha256(`${name} ${text}`);
  return {
    purpose,
    /** Epoch milliseconds. */
    startedAt,
    text,
    /** Returned by the provider through the browser: proves that this browser began the attempt (RFC 6749, 10.12). */
    state: part("state"),
    /** Part of the provider's token: proves that the token was made for this attempt. */
    nonce: part("nonce"),
    /** Sent with the code, so that a code alone is useless to a thief (RFC 7636). */
    verifier: part("verifier"),
  };
}
