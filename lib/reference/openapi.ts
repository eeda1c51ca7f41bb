/** The whole description of the service, OpenAPI 3.1: from it comes the reference that people read. */

import type { Config } from "../config.ts";
import { toUsd } from "../money.ts";
import { eventsPaths } from "./events_paths.ts";
import { EXAMPLE_ORIGIN } from "./examples.ts";
import { HEADERS } from "./headers.ts";
import type { PathItem } from "./operation.ts";
import { pagePaths } from "./page_paths.ts";
import { proxyPaths } from "./proxy_paths.ts";
import { bodySchemas, type JsonSchema } from "./schemas.ts";

/** A header, as others refer to it. */
interface HeaderComponent {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** An OpenAPI 3.1 document, as far as it is used here. */
export interface OpenApi {
  readonly openapi: "3.1.1";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
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

/** What differs between services. */
export type ReferenceConfig = Pick<
  Config,
  | "BASE_URL"
  | "DAILY_LIMIT_USD"
  | "RATE_LIMIT_REQUESTS"
  | "RATE_LIMIT_WINDOW_SECONDS"
  | "MAX_BODY_BYTES"
>;

/** Events contract, section 9. */
const VERSION = "1.0.0";

/** Builds the description of a service with this configuration. */
export function buildOpenApi(config: ReferenceConfig): OpenApi {
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
    },
    servers: [{ url: EXAMPLE_ORIGIN }],
    security: [],
    tags: tags(config),
    paths: { ...eventsPaths(), ...proxyPaths(), ...pagePaths() },
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

function tags(config: ReferenceConfig): OpenApi["tags"] {
  const whole = (value: number) => value.toLocaleString("en");
  const window = `${whole(config.RATE_LIMIT_REQUESTS)} requests in ` +
    `${whole(config.RATE_LIMIT_WINDOW_SECONDS)} seconds`;
  const limits = `A body has at most ${whole(config.MAX_BODY_BYTES)} bytes. An account has ` +
    `${window}, and ${toUsd(config.DAILY_LIMIT_USD)} USD a day unless its operator says otherwise.`;
  return [
    {
      name: "Events",
      description: "Public and read-only. What is answered is at most 5 minutes old.",
    },
    {
      name: "Web search",
      description: `Charged by the answer's costDollars.total. ${limits}`,
    },
    {
      name: "Decisions",
      description: `Charged by the answer's usage.input_tokens. ${limits}`,
    },
    { name: "Models", description: "Lists of the models that the chat provider has. No key." },
    { name: "Account and health", description: "Where a caller and the service stand." },
    { name: "Documents", description: "What describes the API." },
  ];
}
