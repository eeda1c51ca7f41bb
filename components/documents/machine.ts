/** The OpenAPI document and the API catalog, as bytes that are kept with the configuration. */

import type { Context } from "fresh";
import type { Config } from "../../lib/platform/config/config.ts";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../../lib/platform/http/representation.ts";
import {
  ADDRESSES,
  apiCatalog,
  CATALOG_TYPE,
  type Operations,
  referenceOf,
  type State,
} from "../../lib/operate/mod.ts";
import { memoize } from "../../lib/platform/memoize.ts";
import { documentBasis } from "./documents.tsx";

const representationsOf = memoize((operations: Operations) =>
  memoize((config: Config) => ({
    description: represent(
      "application/json",
      referenceOf(operations)(config).openApi,
      `<${ADDRESSES.page}>; rel="service-doc"`,
    ),
    // RFC 9727, section 2: a HEAD request finds the catalog by this link.
    catalog: represent(
      CATALOG_TYPE,
      apiCatalog(config.BASE_URL),
      `<${ADDRESSES.catalog}>; rel="api-catalog"`,
    ),
  }))
);

/** Answers with the OpenAPI document or the API catalog. */
export async function answerMachine(
  { req, state }: Context<State>,
  which: "description" | "catalog",
): Promise<Response> {
  const representation = representationsOf(state.operations)(state.services.config)[which];
  const { maxAgeSeconds } = documentBasis(state);
  return await sendRepresentation(req, representation, { maxAgeSeconds });
}

function represent(contentType: string, value: unknown, link: string): Representation {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return createRepresentation({ contentType, bytes, headers: { link } });
}
