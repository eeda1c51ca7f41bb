/** Chooses the refusals to record, and the facts about each. */

import type { RefusedRequest } from "./records/refusal.ts";
import { isBusy, PublicError } from "../platform/http/errors.ts";
import type { RequestNotes } from "../platform/log.ts";
import { withoutOwnNames } from "./decision_request.ts";

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
  // A provider's error has a usage record, and only the operator can repair the service's other failures.
  const isOwn = thrown instanceof PublicError && !("x-refused-by" in thrown.headers) &&
    (thrown.status < 500 || thrown.code === "service_unavailable");
  if (!isOwn) return null;
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
