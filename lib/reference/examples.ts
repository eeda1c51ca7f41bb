/**
 * The examples of the reference: requests, and what a Foyer over the stand-ins answers to them. The
 * tests ask again and compare; with `FOYER_RECORD_EXAMPLES` set they write the answers anew.
 */

import answers from "./answers.json" with { type: "json" };

/** A request of the reference. */
export interface ExampleRequest {
  /** Path and query string. */
  readonly path: string;
  /** What is posted; without it the request is a GET. */
  readonly body?: unknown;
  /** Whether no key is sent where one is needed. */
  readonly keyless?: boolean;
}

/** The origin of the recording. */
export const EXAMPLE_ORIGIN = "https://foyer.example";

/** What is asked besides the operations' own examples: a stream, and refusals by their half and code. */
export const OTHER_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  "answerFromWeb stream": {
    path: "/proxy/v1/websearch/answer",
    body: { query: "why are there two tides a day", stream: true },
  },
  "events bad_request": { path: "/api/v1/events?status=past" },
  "events not_found": { path: "/api/v1/events/no-such-event" },
  "proxy bad_request": { path: "/proxy/v1/models?limit=0" },
  "proxy unauthorized": { path: "/proxy/v1/usage", keyless: true },
  "proxy not_found": { path: "/proxy/v1/models/no-such-model" },
  "proxy validation_failed": {
    path: "/proxy/v1/decision/systemone",
    body: { state: "The parcel came late." },
  },
};

const RECORDED: Readonly<Record<string, unknown>> = answers;

/**
 * The answer to an operation's example, by the operation's id, or to one of {@linkcode OTHER_REQUESTS}:
 * JSON as a value, else the text; of a stream its last event. Undefined if none was recorded.
 */
export function recordedAnswer(name: string): unknown {
  return RECORDED[name];
}
