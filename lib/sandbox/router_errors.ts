// The router's errors: one layout, whose `code` is a number.

import { jsonAnswer, type ProviderAnswer } from "./provider_answer.ts";
import type { FaultStatus } from "./provider_faults.ts";

/** An error answer; without a message, the usual one for the status. */
export function refusal(status: FaultStatus, message = MESSAGES[status]): ProviderAnswer {
  return jsonAnswer({ error: { code: status, message }, user_id: null }, { status });
}

const MESSAGES: Readonly<Record<FaultStatus, string>> = {
  400: "Invalid request.",
  401: "No valid key was sent.",
  402: "The account or the key has no credit left.",
  403: "This key may not do that.",
  404: "Not found.",
  422: "A field has a value that cannot be processed.",
  429: "Too many requests.",
  500: "Internal error.",
  502: "The model's provider gave no valid answer.",
  503: "No provider is available.",
  529: "The model's provider is overloaded.",
};
