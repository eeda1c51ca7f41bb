/** Chooses the refusals to record, and the facts about each. */

import type { RefusedRequest } from "./records/refusal.ts";
import { type ErrorCode, isBusy, PublicError } from "../platform/http/errors.ts";
import type { RequestNotes } from "../platform/log.ts";
import { withoutOwnNames } from "./decision_request.ts";

/** Errors before the provider is called. Later ones have a usage record, and only the operator can repair the rest. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "bad_request",
  "unauthorized",
  "spending_limit_reached",
  "forbidden",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
  "validation_failed",
  "rate_limited",
  "too_many_open",
  "service_unavailable",
]);

/** Texts are far shorter; this bounds the path of a field that a later endpoint may have. */
const MAX_FIELD_LENGTH = 100;

/**
 * The record of a refused request to a forwarded endpoint; null unless this service refused it and knows the account
 * of its key.
 */
export function refusedRequest(
  thrown: unknown,
  { accountId, keyId, endpoint, reason }: RequestNotes,
): RefusedRequest | null {
  if (!(thrown instanceof PublicError) || !REFUSALS.has(thrown.code)) return null;
  if (accountId === undefined || keyId === undefined || endpoint === undefined) return null;
  const { code, details: { field, spending } } = thrown;
  return {
    accountId,
    keyId,
    endpoint,
    code,
    reason: spending?.scope ?? reason ?? (isBusy(thrown) ? "busy" : null),
    field: field === undefined ? null : withoutOwnNames(field).slice(0, MAX_FIELD_LENGTH),
  };
}
