/**
 * The documents of this service: read once and filled in with its address and limits. The API reference and
 * the status page, whose contents are made elsewhere, are listed with them.
 */

import type { Context } from "fresh";
import type { ComponentChildren } from "preact";
import type { Config } from "../../lib/config.ts";
import { type Document, errorSections, readDocuments } from "../../lib/documents/mod.ts";
import {
  BODY_BYTES_PER_SECOND,
  BODY_MAX_SECONDS,
  BODY_PACE_BYTES,
  BODY_PACE_SECONDS,
  nothingHere,
} from "../../lib/http/mod.ts";
import { toUsd } from "../../lib/money.ts";
import { bodiesBytes, MAX_REQUESTS } from "../../lib/proxy/mod.ts";
import { referenceOf } from "../../lib/reference/mod.ts";
import type { State } from "../../lib/state.ts";
import { DocumentPage } from "./DocumentPage.tsx";
import { OPERATIONS } from "./operations.ts";
import { answerMarkdown, answerPage, type Basis } from "./prepared.tsx";

const FOLDER = new URL("../../static/docs/", import.meta.url);
const MAX_AGE_SECONDS = 300;

const ABOUT_STATUS =
  "Whether everything works, now and on each of the last 90 days, and how fresh the events are.";

/** The status page as a document; its content is made for each request. */
export const STATUS: Document = {
  name: "status",
  address: "/status",
  title: "Status",
  summary: ABOUT_STATUS,
  markdown: `# Status\n\n${ABOUT_STATUS}\n`,
};

const kept = new WeakMap<Config, Promise<readonly Document[]>>();

/** Every document in reading order; in development they are read again each time. */
export function documentsOf(
  { config: { mode }, state: { services: { config } } }: Context<State>,
): Promise<readonly Document[]> {
  let documents = mode === "production" ? kept.get(config) : undefined;
  if (documents === undefined) {
    documents = readAll(config);
    kept.set(config, documents);
  }
  return documents;
}

async function readAll(config: Config): Promise<readonly Document[]> {
  const fillings = { baseUrl: config.BASE_URL, values: valuesOf(config) };
  return [
    ...await readDocuments(FOLDER, fillings),
    referenceOf(config, OPERATIONS).document,
    STATUS,
  ];
}

/**
 * Answers with a document; its page shows `children` after it.
 *
 * @throws {PublicError} `not_found` if no document has the name.
 */
export async function answerDocument(
  ctx: Context<State>,
  name: string,
  children?: ComponentChildren,
): Promise<Response> {
  const { BASE_URL: baseUrl } = ctx.state.services.config;
  const documents = await documentsOf(ctx);
  const document = documents.find((each) => each.name === name);
  if (document === undefined) throw nothingHere(undefined, "All documents are listed at /docs.");
  return await answerPage(ctx, documentBasis(ctx.state), {
    address: document.address,
    html: () => ({
      element: (
        <DocumentPage document={document} documents={documents} baseUrl={baseUrl}>
          {children}
        </DocumentPage>
      ),
    }),
    markdown: () => document.markdown,
  });
}

/** Answers with markdown that is made from all documents. */
export async function answerText(
  ctx: Context<State>,
  address: string,
  make: (documents: readonly Document[], baseUrl: string) => string,
): Promise<Response> {
  const { BASE_URL: baseUrl } = ctx.state.services.config;
  const documents = await documentsOf(ctx);
  const basis = documentBasis(ctx.state);
  return await answerMarkdown(ctx, basis, address, () => make(documents, baseUrl));
}

/** Documents, like the configuration, change only with a deployment. */
export function documentBasis({ services: { config } }: State): Basis {
  return { owner: config, edition: "", maxAgeSeconds: MAX_AGE_SECONDS };
}

/** The values of `{{name}}` in documents. */
function valuesOf(config: Config): Record<string, string> {
  const whole = (value: number) => value.toLocaleString("en");
  return {
    errors: errorSections().trimEnd(),
    dailyLimitUsd: String(toUsd(config.DAILY_LIMIT_USD)),
    decisionPriceUsd: String(toUsd(config.DECISION_PRICE_PER_MILLION_TOKENS)),
    rateRequests: whole(config.RATE_LIMIT_REQUESTS),
    rateWindowSeconds: whole(config.RATE_LIMIT_WINDOW_SECONDS),
    maxBodyBytes: whole(config.MAX_BODY_BYTES),
    bodyBytesPerSecond: whole(BODY_BYTES_PER_SECOND),
    bodyPaceSeconds: whole(BODY_PACE_SECONDS),
    bodyMaxSeconds: whole(BODY_MAX_SECONDS),
    bodySmallBytes: whole(BODY_PACE_BYTES),
    processRequests: whole(MAX_REQUESTS),
    accountRequests: whole(MAX_REQUESTS / 2),
    processBodyBytes: whole(bodiesBytes(config)),
    accountBodyBytes: whole(bodiesBytes(config) / 2),
    upstreamTimeoutSeconds: whole(config.UPSTREAM_TIMEOUT_SECONDS),
    timeZone: config.EVENTS_TIME_ZONE,
  };
}
