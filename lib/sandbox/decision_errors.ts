// The three layouts of the decision provider's errors.

import { jsonAnswer, type ProviderAnswer } from "./provider_answer.ts";
import type { FaultStatus } from "./provider_faults.ts";

/** One entry of a 422. */
export interface Issue {
  readonly type: string;
  /** The path to the field, `body` first. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** A plain sentence for a limit, an object for a kind of error, a list for fields that are missing or of a wrong type. */
export type Detail =
  | string
  | { readonly error_type: string; readonly message: string }
  | readonly Issue[];

/** Thrown for a request that is refused. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(readonly status: number, readonly detail: Detail) {
    super(JSON.stringify(detail));
  }
}

/** An error answer. */
export function refusal(status: number, detail: Detail, id: string): ProviderAnswer {
  return jsonAnswer({ detail }, { status, headers: { "x-typesafe-request-id": id } });
}

/** The body of a status fault. The layouts of 402, 429, 529 and 5xx are not known; an object is the likeliest. */
export function statusDetail(status: FaultStatus): Detail {
  const [error_type, message] = KINDS[status];
  if (status === 404) return message;
  if (status === 422) return [{ type: "missing", loc: ["body", "state"], msg: message }];
  return { error_type, message };
}

const KINDS: Readonly<Record<FaultStatus, readonly [type: string, message: string]>> = {
  400: ["api_usage_error", "Invalid request."],
  401: ["authentication_error", "Invalid API key."],
  402: ["payment_required", "The account has no credit."],
  403: ["permission_error", "This key may not do that."],
  404: ["not_found", "Not Found"],
  422: ["missing", "Field required"],
  429: ["rate_limit_error", "Too many requests."],
  500: ["unknown", "Internal error."],
  502: ["unknown", "Bad gateway."],
  503: ["unknown", "The service is not available."],
  529: ["overloaded_error", "The service is overloaded."],
};
