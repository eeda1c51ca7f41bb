/** Refusals in words, for members and operators. */

import type { Refusal } from "./refusal.ts";

/** By the code and the reason, or by the code alone. */
const WORDS: ReadonlyMap<string, string> = new Map(Object.entries({
  "unauthorized revoked": "The key was revoked",
  "unauthorized leaked": "The key was revoked, because it was reported as leaked",
  "unauthorized expired": "The key has expired",
  "unauthorized": "The key does not work",
  "spending_limit_reached account": "The account's daily limit was reached",
  "spending_limit_reached key": "The key's own daily limit was reached",
  "spending_limit_reached service": "The daily limit of all accounts together was reached",
  "spending_limit_reached": "A daily limit was reached",
  "forbidden banned": "The account is banned",
  "forbidden withdrawn": "The account's owner is no longer admitted",
  "forbidden unverified": "The account is not verified",
  "forbidden endpoint": "The key may not use this endpoint",
  "forbidden": "The account may not use the proxy",
  "bad_request": "The body is not valid JSON",
  "request_timeout": "The body took too long to arrive",
  "payload_too_large": "The body was too large",
  "unsupported_media_type": "The body was not sent as JSON",
  "validation_failed": "The body is invalid",
  "rate_limited": "The rate limit was reached",
  "service_unavailable busy": "There were too many requests at once",
  "service_unavailable": "The service was not available",
}));

/** A refusal in words, without a full stop; the code, if a newer version wrote it. */
export function refusalInWords(
  { code, reason, field }: Pick<Refusal, "code" | "reason"> & Partial<Pick<Refusal, "field">>,
): string {
  const words = WORDS.get(`${code} ${reason}`) ?? WORDS.get(code) ?? code;
  return field === undefined || field === null ? words : `${words}: ${field}`;
}
