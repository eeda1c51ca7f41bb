/**
 * The examples of the reference: requests, and the recorded responses of a service over the stand-ins. The
 * tests repeat the requests and compare; with `FOYER_RECORD_EXAMPLES` set they record the responses again.
 */

import answers from "./answers.json" with { type: "json" };

/** A request of the reference. */
export interface ExampleRequest {
  /** Path and query string. */
  readonly path: string;
  /** The value posted as JSON; without it the request is a GET. */
  readonly body?: unknown;
  /** Whether the request omits the key that it needs. */
  readonly keyless?: boolean;
}

/** Requests besides the operations' own examples: a stream, and errors by half of the service and code. */
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
 * The recorded response to an operation's example, by the operation's id, or to one of
 * {@linkcode OTHER_REQUESTS}: JSON as a value, other types as text, a stream as its last event.
 */
export function recordedAnswer(name: string): unknown {
  return RECORDED[name];
}
