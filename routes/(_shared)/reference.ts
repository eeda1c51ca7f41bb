/** The OpenAPI document and the API catalog, as bytes that are kept with the configuration. */

import type { Context } from "fresh";
import type { Config } from "../../lib/config.ts";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../../lib/http/mod.ts";
import { ADDRESSES, apiCatalog, CATALOG_TYPE, referenceOf } from "../../lib/reference/mod.ts";
import type { State } from "../../lib/state.ts";
import { documentBasis } from "./documents.tsx";
import { OPERATIONS } from "./operations.ts";

const kept = new WeakMap<Config, { description: Representation; catalog: Representation }>();

/** Answers with the OpenAPI document or the API catalog. */
export async function answerMachine(
  { req, state }: Context<State>,
  which: "description" | "catalog",
): Promise<Response> {
  const { config } = state.services;
  let representations = kept.get(config);
  if (representations === undefined) {
    const { page, catalog } = ADDRESSES;
    const { openApi } = referenceOf(config, OPERATIONS);
    representations = {
      description: represent("application/json", openApi, `<${page}>; rel="service-doc"`),
      // RFC 9727, section 2: a HEAD request finds the catalog by this link.
      catalog: represent(
        CATALOG_TYPE,
        apiCatalog(config.BASE_URL),
        `<${catalog}>; rel="api-catalog"`,
      ),
    };
    kept.set(config, representations);
  }
  const { maxAgeSeconds } = documentBasis(state);
  return await sendRepresentation(req, representations[which], { maxAgeSeconds });
}

function represent(contentType: string, value: unknown, link: string): Representation {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return createRepresentation({ contentType, bytes, headers: { link } });
}
