/** The common part of the operations that are forwarded to a provider. */

import type { Operation } from "./operation.ts";

/** The description of a forwarded operation; `answer` is its content by media type. */
type Call = Omit<Operation, "needsKey" | "passesErrors" | "errors" | "answer"> & {
  readonly answer: Operation["answer"]["content"];
};

/** Describes an operation whose request is forwarded to a provider and charged. */
export function providerCall({ answer, ...special }: Call): Operation {
  return {
    ...special,
    needsKey: true,
    passesErrors: true,
    errors: [
      "bad_request",
      "spending_limit_reached",
      "request_timeout",
      "payload_too_large",
      "unsupported_media_type",
      "rate_limited",
      "server_misconfigured",
      "upstream_error",
      "upstream_timeout",
      "upstream_overloaded",
      "not_found",
      "validation_failed",
    ],
    answer: {
      description: "The provider's response, byte for byte.",
      headers: ["RateLimit", "RateLimit-Policy", "X-Spending-Warning"],
      content: answer,
    },
  };
}
