// The errors of the web search provider: flat, and without id and tag after too many requests.

import { jsonAnswer, type ProviderAnswer } from "./provider_answer.ts";
import type { FaultStatus } from "./provider_faults.ts";

/** Thrown for a request that is refused. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(readonly status: FaultStatus, readonly tag: string, message: string) {
    super(message);
  }
}

/** An error answer. */
export function refusal(
  status: FaultStatus,
  requestId: string,
  [tag, error]: readonly [tag: string, text: string] = KINDS[status],
): ProviderAnswer {
  return jsonAnswer(status === 429 ? { error } : { requestId, error, tag }, { status });
}

const KINDS: Readonly<Record<FaultStatus, readonly [tag: string, text: string]>> = {
  400: ["INVALID_REQUEST_BODY", "The request body is not valid"],
  401: ["INVALID_API_KEY", "The API key is not valid"],
  402: ["NO_MORE_CREDITS", "The account has no credits left"],
  403: ["ROBOTS_FILTER_FAILED", "The page does not allow robots"],
  404: ["NOT_FOUND", "There is no such route"],
  422: ["FETCH_DOCUMENT_ERROR", "The document could not be fetched"],
  429: ["RATE_LIMITED", "Too many requests"],
  500: ["INTERNAL_ERROR", "Something went wrong"],
  502: ["DEFAULT_ERROR", "Bad gateway"],
  503: ["SERVICE_OVERLOADED", "The service is overloaded"],
  529: ["SERVICE_OVERLOADED", "The service is overloaded"],
};
