/** Answers with the API reference as this service has it: a page, a description and a catalog. */

import type { Context } from "fresh";
import TryIt from "../../islands/TryIt.tsx";
import type { Config } from "../../lib/config.ts";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../../lib/http/mod.ts";
import { ADDRESSES, apiCatalog, CATALOG_TYPE, referenceOf } from "../../lib/reference/mod.ts";
import type { State } from "../../lib/state.ts";
import { DocumentPage } from "./DocumentPage.tsx";
import { documentBasis, documentsOf } from "./documents.tsx";
import { OPERATIONS } from "./operations.ts";
import { answerPage } from "./prepared.tsx";

/** What machines get: bytes that last as long as the configuration. */
interface ForMachines {
  readonly description: Representation;
  readonly catalog: Representation;
}

const kept = new WeakMap<Config, ForMachines>();

function forMachines(config: Config): ForMachines {
  const known = kept.get(config);
  if (known !== undefined) return known;
  const made = {
    description: represent(
      "application/json",
      referenceOf(config, OPERATIONS).openApi,
      `<${ADDRESSES.page}>; rel="service-doc"`,
    ),
    // RFC 9727, section 2, asks for its link on HEAD.
    catalog: represent(
      CATALOG_TYPE,
      apiCatalog(config.BASE_URL),
      `<${ADDRESSES.catalog}>; rel="api-catalog"`,
    ),
  };
  kept.set(config, made);
  return made;
}

/** Answers with the reference as a page or as markdown. */
export async function answerReference(ctx: Context<State>): Promise<Response> {
  const { config } = ctx.state.services;
  const { document } = referenceOf(config, OPERATIONS);
  const documents = await documentsOf(ctx);
  return await answerPage(ctx, documentBasis(ctx.state), {
    address: document.address,
    html: () => ({
      element: (
        <DocumentPage document={document} documents={documents} baseUrl={config.BASE_URL}>
          <TryIt />
        </DocumentPage>
      ),
    }),
    markdown: () => document.markdown,
  });
}

/** Answers with the OpenAPI document. */
export async function answerDescription(ctx: Context<State>): Promise<Response> {
  return await send(ctx, forMachines(ctx.state.services.config).description);
}

/** Answers with the catalog of APIs. */
export async function answerCatalog(ctx: Context<State>): Promise<Response> {
  return await send(ctx, forMachines(ctx.state.services.config).catalog);
}

async function send(
  { req, state }: Context<State>,
  representation: Representation,
): Promise<Response> {
  const { maxAgeSeconds } = documentBasis(state);
  return await sendRepresentation(req, representation, { maxAgeSeconds });
}

function represent(contentType: string, value: unknown, link: string): Representation {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return createRepresentation({ contentType, bytes, headers: { link } });
}
