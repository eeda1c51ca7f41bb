// The interface between a provider's rules and the harness that serves them (`provider.ts`).

import type { FaultStatus, ProviderFaultAction } from "./provider_faults.ts";

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
export type CostFault = Extract<ProviderFaultAction, { kind: "cost" | "missing-cost" }>;

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
