/** The API reference of a service: for machines, and as a document. */

import type { Config } from "../../platform/config/config.ts";
import type { Document } from "../documents/library.ts";
import { memoize } from "../../platform/memoize.ts";
import { referenceMarkdown } from "./markdown.ts";
import { buildOpenApi } from "./openapi.ts";
import type { Operation } from "./operation.ts";

/** The media type of {@linkcode apiCatalog}. */
export const CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The paths of the OpenAPI document, the reference page and the API catalog. */
export const ADDRESSES = {
  description: "/api/v1/openapi.json",
  page: "/api/v1/docs",
  catalog: "/.well-known/api-catalog",
} as const;

/** Operations by their addresses, such as `/api/v1/events/{idOrSlug}`, in the order of the reference. */
export type Operations = Readonly<Record<string, Operation>>;

/** The reference of operations for a configuration, for machines and as a document; built once. */
export const referenceOf = memoize((operations: Operations) =>
  memoize((config: Config) => buildReference(config, operations))
);

function buildReference(config: Config, operations: Operations) {
  const openApi = buildOpenApi(config, operations);
  const document: Document = {
    name: "reference",
    address: ADDRESSES.page,
    title: "API reference",
    summary: openApi.info.summary,
    markdown: referenceMarkdown(openApi, operations),
  };
  return { openApi, document };
}

/** The API catalog (RFC 9727): a linkset (RFC 9264) to each API's description, documentation and health. */
export function apiCatalog(baseUrl: string): unknown {
  const described = {
    "service-desc": [{ href: `${baseUrl}${ADDRESSES.description}`, type: "application/json" }],
    "service-doc": [{ href: `${baseUrl}${ADDRESSES.page}`, type: "text/html" }],
    "status": [{ href: `${baseUrl}/up`, type: "application/json" }],
  };
  return {
    linkset: [
      { anchor: `${baseUrl}/api/v1/events`, ...described },
      { anchor: `${baseUrl}/proxy/v1`, ...described },
    ],
  };
}
