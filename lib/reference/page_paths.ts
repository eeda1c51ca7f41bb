/** The pages and documents that the contract puts beside the API, in the reference. */

import { headerRefs } from "./headers.ts";
import { IF_NONE_MATCH, NOT_MODIFIED, operation, type PathItem } from "./operation.ts";

const KEPT = headerRefs("ETag", "Cache-Control", "X-Request-Id", "Link");
const PAGE = {
  "text/html": { schema: { type: "string" } },
  "text/markdown": { schema: { type: "string" } },
} as const;

/** The addresses of the reference and of the versioning policy. */
export function pagePaths(): Record<string, PathItem> {
  const page = (operationId: string, summary: string, description: string): PathItem => ({
    get: operation({
      half: "events",
      tags: ["Documents"],
      operationId,
      summary,
      description:
        `${description} HTML or markdown, as Accept asks; with .md behind the address always markdown.`,
      parameters: [IF_NONE_MATCH],
      errors: ["not_acceptable"],
      responses: {
        200: { description: "The page.", headers: KEPT, content: PAGE },
        304: NOT_MODIFIED,
      },
    }),
  });
  return {
    "/api/v1/openapi.json": {
      get: operation({
        half: "events",
        tags: ["Documents"],
        operationId: "getDescription",
        summary: "This description",
        description: "What this reference is made from: OpenAPI 3.1.",
        parameters: [IF_NONE_MATCH],
        errors: [],
        responses: {
          200: {
            description: "The description.",
            headers: KEPT,
            content: { "application/json": { schema: { type: "object" } } },
          },
          304: NOT_MODIFIED,
        },
      }),
    },
    "/api/v1/docs": page("getReference", "The API reference", "This reference as a page."),
    "/api/versioning": page(
      "getVersioning",
      "Versioning",
      "What may change within a version, and what has changed.",
    ),
  };
}
