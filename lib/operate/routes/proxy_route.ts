/** The routes of the proxy that forward requests. */

import type { EndpointName } from "../../proxy/proxy.ts";
import type { Operation } from "../reference/operation.ts";
import { methods } from "./methods.ts";

/**
 * The handler of an endpoint whose requests are forwarded to a provider and charged, and its operation.
 *
 * @param answer the content of the provider's response by media type.
 */
export function forwardingRoute(endpoint: EndpointName, { answer, ...special }:
  & Omit<Operation, "needsKey" | "passesErrors" | "errors" | "answer">
  & { readonly answer: Operation["answer"]["content"] }) {
  const operation: Operation = {
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
      "too_many_open",
      "server_misconfigured",
      "upstream_error",
      "upstream_timeout",
      "upstream_overloaded",
      "not_found",
      "validation_failed",
    ],
    answer: {
      description: "The provider's response, byte for byte.",
      headers: ["RateLimit", "RateLimit-Policy", "X-Spending-Warning", "X-Cost-Usd"],
      content: answer,
    },
  };
  const handler = methods({
    POST: ({ req: request, state: { requestId, notes, services: { proxy } } }) =>
      proxy.forward(endpoint, { request, requestId, notes }),
  });
  return { handler, operation };
}
