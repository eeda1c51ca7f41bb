/** The pages and documents that the contract puts beside the API, as operations. */

import type { Operation } from "./operation.ts";

const text = { schema: { type: "string" } } as const;

/** The operations by their addresses. */
export const DOCUMENT_OPERATIONS: Readonly<Record<string, Operation>> = {
  "/api/v1/openapi.json": {
    operationId: "getDescription",
    group: "Documents",
    summary: "This description",
    description: "What this reference is made from: OpenAPI 3.1.",
    errors: [],
    answer: {
      description: "The description.",
      headers: ["Link"],
      content: { "application/json": { schema: { type: "object" } } },
    },
    isKept: true,
  },
  "/api/v1/docs": page("getReference", "The API reference", "This reference as a page."),
  "/api/versioning": page(
    "getVersioning",
    "Versioning",
    "What may change within a version, and what has changed.",
  ),
};

function page(operationId: string, summary: string, description: string): Operation {
  return {
    operationId,
    group: "Documents",
    summary,
    description:
      `${description} HTML or markdown, as Accept asks; with .md behind the address always markdown.`,
    errors: ["not_acceptable"],
    answer: {
      description: "The page.",
      headers: ["Link"],
      content: { "text/html": text, "text/markdown": text },
    },
    isKept: true,
  };
}
