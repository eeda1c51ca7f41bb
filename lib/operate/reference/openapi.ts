/** The OpenAPI 3.1 document of the service, from which the reference for people is made. */

import type { Config } from "../../platform/config/config.ts";
import { EXAMPLE_ORIGIN } from "../documents/library.ts";
import { describeGroups } from "./internal/groups.ts";
import { HEADERS } from "./headers.ts";
import { type Operation, type OperationObject, pathItem } from "./operation.ts";
import { bodySchemas } from "./schemas.ts";

/** The version of the API (`static/docs/versioning.md`). */
export const VERSION = "1.0.0";

type Operations = Readonly<Record<string, Operation>>;

/** The part of an OpenAPI 3.1 document that this service uses. */
export type OpenApi = ReturnType<typeof describe>;

/** Builds the document of a service with this configuration and these operations, by their addresses. */
export function buildOpenApi(config: Config, operations: Operations): OpenApi {
  const text = JSON.stringify(describe(config, operations));
  return JSON.parse(text.replaceAll(EXAMPLE_ORIGIN, config.BASE_URL));
}

/** Every operation with its method in lower case, in the order of the reference. */
export function operationsOf(
  { paths }: OpenApi,
): { readonly path: string; readonly method: string; readonly operation: OperationObject }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
  );
}

function describe(config: Config, operations: Operations) {
  return {
    openapi: "3.1.1",
    info: {
      title: `${config.SITE_NAME} API`,
      version: VERSION,
      summary: "The events of an organisation, and an AI proxy for its members.",
      description: "Every address that supports GET also supports HEAD, and every address " +
        "supports OPTIONS. Any other method gets a 405 (method_not_allowed). Each error has a " +
        "stable code and a documentation_url that explains it. Scripts of any origin may call " +
        "every address. Assistants use the events, the documents and the proxy by the Model " +
        "Context Protocol at /mcp.",
      contact: contactOf(config),
      license: { name: "MIT License", identifier: "MIT" },
    },
    servers: [{ url: EXAMPLE_ORIGIN }],
    security: [],
    tags: Object.entries(describeGroups(config)).map(([name, description]) => ({
      name,
      description,
    })),
    paths: Object.fromEntries(
      Object.entries(operations).map(([path, each]) => [path, pathItem(path, each)]),
    ),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "The API key." },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key." },
      },
      headers: Object.fromEntries(
        Object.entries(HEADERS)
          .map(([name, { description, schema }]) => [name, { description, schema }]),
      ),
      schemas: bodySchemas(),
    },
  };
}

/** The contact of the site; without one, the site itself. A `mailto:` address with a subject is no plain address. */
function contactOf({ SITE_NAME: name, SITE_CONTACT: uri = EXAMPLE_ORIGIN }: Config) {
  const [, email] = /^mailto:([^?%,]+)$/.exec(uri) ?? [];
  return email === undefined ? { name, url: uri } : { name, email };
}
