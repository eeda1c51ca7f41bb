/**
 * What the proxy has to know of a provider (where it is, how it is called, how it says what it cost), and
 * of each of its endpoints.
 */

import { PublicError } from "../http/mod.ts";
import type { JsonObject } from "../json.ts";
import type { NanoUsd } from "../money.ts";

/** A path of member names in a JSON object. */
type JsonPath = readonly string[];

/** What an answer says of its price; null for what it does not say. */
export interface Reading {
  readonly cost: NanoUsd | null;
  /** The beginning of what stands in the place of the cost, if that is no amount that can be meant. */
  readonly unusableCost?: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly model: string | null;
}

/** A provider of answers, and the key that the service has there. */
export interface Provider {
  /** For sentences: "the web search provider". */
  readonly name: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  /** The variable that holds the key: its name may be shown, its value never. */
  readonly keyVariable: string;
  readonly apiKey: string | undefined;
  /** The header that carries the key. */
  authorization(apiKey: string): Readonly<Record<string, string>>;
  /** Which of the caller's headers go on to the provider, by their names in lower case. */
  readonly passesOn: ((headerName: string) => boolean) | null;
  /** Which headers of its own go down to the caller, besides those that every provider may send. */
  readonly headersDown: readonly string[];
  /** The scalars of an answer (or of an event of a stream) that {@linkcode Provider.read} asks for. */
  readonly paths: readonly JsonPath[];
  /** @param last the JSON text of the last scalar at a path. */
  read(last: (path: JsonPath) => string | null): Reading;
  /** Changes the bytes of an answer on their way down, if that is asked of it. */
  readonly rewriteAnswer: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) | null;
}

/** One endpoint of a provider, and what is done with a request's body on its way there. */
export interface Endpoint {
  readonly provider: Provider;
  /** The provider's path, such as `/search`. */
  readonly path: string;
  /** @throws {PublicError} `validation_failed` for what the contract forbids. */
  validate(body: JsonObject): void;
  /** The model that is asked for, if the endpoint has models. */
  model(body: JsonObject): string | null;
  /**
   * An upper estimate of the cost, which grows with every count in the body; `bytes` is the body's length.
   *
   * @throws {PublicError} `validation_failed` for a body whose cost cannot be estimated, or is too high.
   */
  estimate(body: JsonObject, bytes: number): NanoUsd;
  /** Changes the bytes of a request on their way up, if that is asked of it. */
  readonly rewrite: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) | null;
}

/**
 * The service's key at a provider.
 *
 * @throws {PublicError} `server_misconfigured` if it has none there.
 */
export function requireKey({ name, keyVariable, apiKey }: Provider): string {
  if (apiKey !== undefined) return apiKey;
  throw new PublicError("server_misconfigured", `There is no key for ${name}.`, {
    hint: `The operator sets ${keyVariable}.`,
  });
}
