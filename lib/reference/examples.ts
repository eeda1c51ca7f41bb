/**
 * The recorded responses of a service over the stand-ins. The tests repeat the requests and compare; with
 * `FOYER_RECORD_EXAMPLES` set they record the responses again.
 */

import answers from "./answers.json" with { type: "json" };

const RECORDED: Readonly<Record<string, unknown>> = answers;

/**
 * The recorded response to an operation's example, by the operation's id, or to an error's, by the half of the
 * service and the code: JSON as a value, other types as text, a stream as its last event.
 */
export function recordedAnswer(name: string): unknown {
  return RECORDED[name];
}
