/** The API reference of a service: for machines, as a document, and as forms that send requests. */

import type { Config } from "../config/mod.ts";
import { anchorOf, type Document } from "../documents/mod.ts";
import { referenceMarkdown } from "./markdown.ts";
import { buildOpenApi, type OpenApi, operationsOf } from "./openapi.ts";
import { type Operation, type ParameterObject, sampleRequest } from "./operation.ts";
import type { ApiRequest } from "./request.ts";

/** The media type of {@linkcode apiCatalog}. */
export const CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The paths of the OpenAPI document, the reference page and the API catalog. */
export const ADDRESSES = {
  description: "/api/v1/openapi.json",
  page: "/api/v1/docs",
  catalog: "/.well-known/api-catalog",
} as const;

/** The part of an operation that its form on the reference page needs. */
export interface FormOperation extends Omit<ApiRequest, "url"> {
  /** The anchor of the operation's section. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The parameters of the path and the query string. */
  readonly parameters: readonly ParameterObject[];
}

/** The reference of these operations, by their addresses: for machines, as a document, and as forms. */
export function buildReference(config: Config, operations: Readonly<Record<string, Operation>>) {
  const openApi = buildOpenApi(config, operations);
  const document: Document = {
    name: "reference",
    address: ADDRESSES.page,
    title: "API reference",
    summary: openApi.info.summary,
    markdown: referenceMarkdown(openApi, operations),
  };
  return { openApi, document, forms: formsOf(openApi) };
}

function formsOf(openApi: OpenApi): FormOperation[] {
  return operationsOf(openApi).map(({ method, path, operation }) => {
    const { needsKey, body } = sampleRequest(path, operation, "");
    const parameters = (operation.parameters ?? []).filter((each) => each.in !== "header");
    const id = anchorOf(`${method} ${path}`);
    return { id, method: method.toUpperCase(), path, needsKey, parameters, body };
  });
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
