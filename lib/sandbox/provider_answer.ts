// The interface between a provider's rules and the harness that serves them (`provider.ts`).

/** The statuses that a status fault may have. */
export const FAULT_STATUSES = [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 529] as const;

/** One of {@linkcode FAULT_STATUSES}. */
export type FaultStatus = typeof FAULT_STATUSES[number];

/** The sentence of each status. The providers differ in their layouts. */
export const ERROR_TEXTS: Readonly<Record<FaultStatus, string>> = {
  400: "Invalid request.",
  401: "Invalid API key.",
  402: "The account has no credit left.",
  403: "This key may not do that.",
  404: "Not Found",
  422: "Field required",
  429: "Too many requests.",
  500: "Internal error.",
  502: "Bad gateway.",
  503: "The service is not available.",
  529: "The service is overloaded.",
};

/** A request as the rules see it. */
export interface ProviderRequest {
  /** The stand-in's own id for it. */
  readonly id: string;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** An answer before any fault; a refusal is one too, and charges nothing. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: one piece of JSON, or one piece for each server-sent event. */
  readonly parts: readonly string[];
  readonly isEventStream: boolean;
  readonly chargeNanoUsd: bigint;
}

/** The effect of a fault on the figure that callers are billed by. */
export type CostFault =
  | { readonly kind: "cost"; readonly text: string }
  | { readonly kind: "missing-cost" };

/** A provider's rules. */
export interface Provider {
  /** The answer to a request, computed from nothing else. */
  answer(request: ProviderRequest, fault: CostFault | undefined): ProviderAnswer;
  /** An error that a fault ordered, in the provider's layout. */
  refuse(status: FaultStatus, request: ProviderRequest): ProviderAnswer;
}

/** An answer of one piece of JSON, with nothing to pay unless said. */
export function jsonAnswer(
  body: unknown,
  { status = 200, headers = {}, chargeNanoUsd = 0n, figure }: {
    status?: number;
    headers?: Readonly<Record<string, string>>;
    chargeNanoUsd?: bigint;
    /** The characters to stand where `FIGURE` is in the body. */
    figure?: string;
  } = {},
): ProviderAnswer {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    parts: [withFigure(JSON.stringify(body), figure)],
    isEventStream: false,
    chargeNanoUsd,
  };
}

/**
 * Marks the place of a number whose very characters matter, such as 0.007 or a fault's 1e-9, which a JavaScript
 * number would not keep. It stands after everything that a caller could have written.
 */
export const FIGURE = "%FIGURE%";

/** The JSON with `figure` in place of the last mark. */
export function withFigure(json: string, figure: string | undefined): string {
  if (figure === undefined) return json;
  const mark = JSON.stringify(FIGURE);
  const at = json.lastIndexOf(mark);
  return at === -1 ? json : json.slice(0, at) + figure + json.slice(at + mark.length);
}
