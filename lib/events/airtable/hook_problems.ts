/** Why Airtable cannot notify this service, in words for the operator. */

import { AirtableError } from "./api.ts";

/** Why a webhook could not be created, although the webhooks could be listed. */
export class MakeError extends Error {
  override name = "MakeError";
  constructor(override readonly cause: AirtableError) {
    super(cause.message);
  }
}

/** The change that an operator must make; null if the error may be temporary. */
export function problemOf(error: unknown): string | null {
  const isMaking = error instanceof MakeError;
  const refusal = isMaking ? error.cause : error;
  if (!(refusal instanceof AirtableError)) return null;
  const { status, type } = refusal;
  switch (status) {
    case 401:
      return "AIRTABLE_TOKEN is not a valid token.";
    case 403:
    case 404:
      return isMaking
        ? "The owner of AIRTABLE_TOKEN needs the role of a creator in the base."
        : "AIRTABLE_TOKEN needs the scope webhook:manage, and access to the base.";
    case 422:
      return /TOO_MANY/.test(type ?? "")
        ? "The base has ten webhooks, which is Airtable's limit. Remove one of another program."
        : `Airtable refuses the webhook (${type ?? "422"}). Is AIRTABLE_TABLE the id of the table?`;
    default:
      return null;
  }
}

/** Why notifications cannot reach an address; null if no reason is known. */
export function unreachableAddress(baseUrl: string, apiUrl: string): string | null {
  if (!isLocal(baseUrl) || isLocal(apiUrl)) return null;
  return "A notification cannot reach BASE_URL, which is an address of this machine or a local " +
    "network. Set BASE_URL to the public address.";
}

/** Whether an address belongs to this machine or to a local network. */
function isLocal(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|10\.[\d.]+|192\.168\.[\d.]+|169\.254\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[(?:::1?|f[cde].*)\])$|\.(?:local|localhost|internal|lan)$/i
    .test(hostname) || !/[.:]/.test(hostname);
}
