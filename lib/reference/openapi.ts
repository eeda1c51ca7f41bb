/** The whole description of the service, OpenAPI 3.1: from it comes the reference that people read. */

import type { Config } from "../config.ts";
import { EXAMPLE_ORIGIN } from "./examples.ts";
import { describeGroups, type Limits } from "./groups.ts";
import { HEADERS } from "./headers.ts";
import { type Operation, type PathItem, pathItem } from "./operation.ts";
import { bodySchemas, type JsonSchema } from "./schemas.ts";

/** A header, as others refer to it. */
interface HeaderComponent {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Where the operator can be reached. */
interface Contact {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** An OpenAPI 3.1 document, as far as it is used here. */
export interface OpenApi {
  readonly openapi: "3.1.1";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact?: Contact;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly [];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly headers: Readonly<Record<string, HeaderComponent>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

/** Events contract, section 9. */
const VERSION = "1.0.0";
/** That of the software, and so of this description. */
const LICENSE = { name: "MIT License", identifier: "MIT" };

/**
 * Builds the description of a service with this configuration.
 *
 * @param operations by their addresses.
 */
export function buildOpenApi(
  config: Limits & Pick<Config, "BASE_URL" | "SECURITY_CONTACT">,
  operations: Readonly<Record<string, Operation>>,
): OpenApi {
  const whole: OpenApi = {
    openapi: "3.1.1",
    info: {
      title: "Foyer API",
      version: VERSION,
      summary: "The events of an organisation, and an AI proxy for its members.",
      description:
        "Every address that takes GET answers HEAD as well, and every address OPTIONS. " +
        "Another method is 405 (method_not_allowed). Errors have a stable code, and " +
        "documentation_url leads to what it means. Scripts of any origin may call everything.",
      ...config.SECURITY_CONTACT !== undefined && { contact: contactAt(config.SECURITY_CONTACT) },
      license: LICENSE,
    },
    servers: [{ url: EXAMPLE_ORIGIN }],
    security: [],
    tags: describeGroups(config),
    paths: Object.fromEntries(
      Object.entries(operations).map(([path, each]) => [path, pathItem(path, each)] as const),
    ),
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "The API key." },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key." },
      },
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, { description, schema }]) =>
          [name, { description, schema }] as const
        ),
      ),
      schemas: bodySchemas(),
    },
  };
  return JSON.parse(JSON.stringify(whole).replaceAll(EXAMPLE_ORIGIN, config.BASE_URL));
}

/** The one contact that is configured is for reports of weaknesses; an address with a subject is no mere e-mail. */
function contactAt(uri: string): Contact {
  const name = "Security contact";
  const [, email] = /^mailto:([^?%,]+)$/.exec(uri) ?? [];
  return email === undefined ? { name, url: uri } : { name, email };
}
