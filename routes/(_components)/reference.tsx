/** The API reference as this service has it: built once from its configuration, in three shapes. */

import type { Context } from "fresh";
import type { Config } from "../../lib/config.ts";
import type { Document } from "../../lib/documents/library.ts";
import { digestOf } from "../../lib/events/snapshot.ts";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../../lib/http/representation.ts";
import { ADDRESSES, apiCatalog, CATALOG_TYPE } from "../../lib/reference/catalog.ts";
import { referenceMarkdown } from "../../lib/reference/markdown.ts";
import { buildOpenApi } from "../../lib/reference/openapi.ts";
import type { State } from "../../lib/state.ts";
import { DocumentPage } from "./DocumentPage.tsx";
import { documentBasis, documentsOf } from "./documents.tsx";
import { answerPage } from "./prepared.tsx";

/** What a service's reference is made of. */
interface Reference {
  readonly document: Document;
  readonly description: Representation;
  readonly catalog: Representation;
}

const kept = new WeakMap<Config, Reference>();

function referenceOf(config: Config): Reference {
  const known = kept.get(config);
  if (known !== undefined) return known;
  const openApi = buildOpenApi(config);
  const made = {
    document: {
      name: "reference",
      address: ADDRESSES.page,
      title: "API reference",
      summary: openApi.info.summary,
      markdown: referenceMarkdown(openApi),
    },
    description: represent("application/json", openApi),
    catalog: represent(CATALOG_TYPE, apiCatalog(config.BASE_URL)),
  };
  kept.set(config, made);
  return made;
}

/** Answers with the reference as a page or as markdown. */
export async function answerReference(ctx: Context<State>): Promise<Response> {
  const { config } = ctx.state.services;
  const { document } = referenceOf(config);
  const documents = [...await documentsOf(ctx), document];
  const response = await answerPage(ctx, documentBasis(ctx.state), {
    address: document.address,
    html: () => ({
      element: <DocumentPage document={document} documents={documents} baseUrl={config.BASE_URL} />,
    }),
    markdown: () => document.markdown,
  });
  response.headers.append("link", `<${ADDRESSES.description}>; rel="service-desc"`);
  return response;
}

/** Answers with the OpenAPI document. */
export function answerDescription(ctx: Context<State>): Promise<Response> {
  const { description } = referenceOf(ctx.state.services.config);
  return send(ctx, description, `<${ADDRESSES.page}>; rel="service-doc"`);
}

/** Answers with the catalog of APIs; RFC 9727, section 2, asks for its link on HEAD. */
export function answerCatalog(ctx: Context<State>): Promise<Response> {
  const { catalog } = referenceOf(ctx.state.services.config);
  return send(ctx, catalog, `<${ADDRESSES.catalog}>; rel="api-catalog"`);
}

async function send(
  { req, state }: Context<State>,
  representation: Representation,
  link: string,
): Promise<Response> {
  const { maxAgeSeconds } = documentBasis(state);
  const answer = { requestId: state.requestId, maxAgeSeconds };
  const response = await sendRepresentation(req, representation, answer);
  response.headers.set("link", link);
  return response;
}

function represent(contentType: string, value: unknown): Representation {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return createRepresentation({ contentType, etag: `W/"${digestOf(bytes)}"`, bytes });
}
