/** A provider as the proxy knows it (its address, how to call it, how it states costs), and its endpoints. */

import { PublicError } from "../../platform/http/errors.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { NanoUsd } from "../../platform/money.ts";

/** The figures that a response states about its price; null for each one that it lacks. */
export interface ParsedUsage {
  readonly cost: NanoUsd | null;
  /** The beginning of the stated cost, if it is not a plausible amount. */
  readonly unusableCost?: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly model: string | null;
}

/** A provider, and the key that the service has there. */
export interface Provider {
  /** Used in sentences: "the web search provider". */
  readonly name: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  /** The variable that holds the key. Messages may show its name. */
  readonly keyVariable: string;
  readonly apiKey: string | undefined;
  /** The header that carries the key. */
  authorization(apiKey: string): Readonly<Record<string, string>>;
  /** The caller's headers that are forwarded, in lower case; an entry that ends in a hyphen is a beginning of names. */
  readonly headersUp: readonly string[];
  /** The provider's headers that the caller gets, besides those of every provider. */
  readonly headersDown?: readonly string[];
  /** The figures in a response, or in one event of a stream. */
  read(answer: JsonObject): ParsedUsage;
  /** Changes the bytes of a response, which otherwise pass unchanged. */
  readonly rewriteAnswer?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/** One endpoint of a provider, and how a request's body is checked, priced and changed for it. */
export interface Endpoint {
  readonly provider: Provider;
  /** The provider's path, such as `/search`. */
  readonly path: string;
  /** @throws {PublicError} `validation_failed` for a body that the documents forbid. */
  validate?(body: JsonObject): void;
  /** The requested model. */
  model?(body: JsonObject): string;
  /**
   * An upper estimate of the cost. It never falls when a count in the body grows; `bytes` is the body's length.
   *
   * @throws {PublicError} `validation_failed` for a body whose cost cannot be estimated, or is too high.
   */
  estimate(body: JsonObject, bytes: number): NanoUsd;
  /** Changes the bytes of a request, which otherwise pass unchanged. */
  readonly rewrite?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/**
 * The service's key at a provider.
 *
 * @throws {PublicError} `server_misconfigured` if it has none.
 */
export function requireKey({ name, keyVariable, apiKey }: Provider): string {
  if (apiKey !== undefined) return apiKey;
  throw new PublicError("server_misconfigured", `No API key is configured for ${name}.`, {
    hint: `The operator must set ${keyVariable}.`,
  });
}
