/** The API reference as one of the documents: in their list, in their search, and in `/llms.txt`. */

import type { Config } from "../config.ts";
import type { Document } from "../documents/mod.ts";
import { ADDRESSES } from "./catalog.ts";
import { referenceMarkdown } from "./markdown.ts";
import { buildOpenApi, type OpenApi } from "./openapi.ts";
import type { Operation } from "./operation.ts";

/** What a service says of its APIs: to machines, and to people. */
interface Reference {
  readonly openApi: OpenApi;
  readonly document: Document;
}

const kept = new WeakMap<Config, Reference>();

/** The reference of these operations with a configuration; built once for each configuration. */
export function referenceOf(
  config: Config,
  operations: Readonly<Record<string, Operation>>,
): Reference {
  let reference = kept.get(config);
  if (reference === undefined) {
    const openApi = buildOpenApi(config, operations);
    const document = {
      name: "reference",
      address: ADDRESSES.page,
      title: "API reference",
      summary: openApi.info.summary,
      markdown: referenceMarkdown(openApi),
    };
    kept.set(config, reference = { openApi, document });
  }
  return reference;
}
