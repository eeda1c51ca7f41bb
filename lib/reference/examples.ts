/**
 * The examples of the reference: requests, and what a Foyer over the stand-ins answers to them. The
 * tests ask again and compare; with `FOYER_RECORD_EXAMPLES` set they write the file anew.
 */

import type { ErrorCode } from "../http/errors.ts";
import recorded from "./examples.json" with { type: "json" };

/** A request and its answer. */
export interface Example {
  /** Path and query string. */
  readonly path: string;
  /** What is posted; without it the request is a GET. */
  readonly body?: unknown;
  /** Whether no key is sent where one is needed. */
  readonly keyless?: boolean;
  /** JSON as a value, else the text; of a stream its last event. */
  readonly answer: unknown;
}

/** The origin of the recording. */
export const EXAMPLE_ORIGIN = "https://foyer.example";

/** Every example by its operation's id, or by the half and the code of an error. */
export const EXAMPLES: Readonly<Record<string, Example>> = recorded;

/**
 * The example of a name.
 *
 * @throws {Error} if there is none.
 */
export function exampleOf(name: string): Example {
  const example = EXAMPLES[name];
  if (example === undefined) throw new Error(`There is no example ${name}.`);
  return example;
}

/** An error's body as one half of the service sends it, if one was recorded. */
export function refusalExample(half: "events" | "proxy", code: ErrorCode): unknown {
  return EXAMPLES[`${half} ${code}`]?.answer;
}
