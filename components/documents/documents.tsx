/**
 * The documents of this service: read once and filled in with its address and limits. The API reference and
 * the status page, whose contents are made elsewhere, are listed with them.
 */

import { ACCOUNT } from "../../lib/platform/address.ts";
import { createHash } from "node:crypto";
import type { Context } from "fresh";
import { MAX_IMPORT_ROWS } from "../../lib/accounts/import.ts";
import { MAX_LIVE_KEYS } from "../../lib/accounts/key.ts";
import { IN_FORCE_MILLISECONDS } from "../../lib/accounts/key_cache.ts";
import { proxyFigures } from "../../lib/proxy/figures.ts";
import { BOOK_DAYS } from "../../lib/proxy/ledger/retention.ts";
import { REFUSAL_DAYS } from "../../lib/proxy/records/refusal.ts";
import type { Config } from "../../lib/platform/config/config.ts";
import {
  type Document,
  isForOperators,
  nameEvent,
  readDocuments,
} from "../../lib/operate/documents/library.ts";
import { errorSections } from "../../lib/operate/documents/listings.ts";
import { BACKUP_DAYS, LOW_CREDIT_USD } from "../../lib/operate/notices.ts";
import { type Operations, referenceOf } from "../../lib/operate/reference/reference.ts";
import type { State } from "../../lib/operate/state.ts";
import type { Event } from "../../lib/events/model.ts";
import { SHARING_SIZE } from "../../lib/events/pictures/painter.ts";
import { DEFAULT_FEED_LIMIT } from "../../lib/events/query.ts";
import { FOLLOW, followMarkdown } from "../../lib/events/site/follow.ts";
import { allEvents } from "../../lib/events/site/listing.ts";
import { EVERYTHING, followHref } from "../../lib/events/site/selection.ts";
import { type Site, siteOf } from "../../lib/events/site/site.ts";
import { MAX_LAG_MILLISECONDS } from "../../lib/events/values.ts";
import { BODY_SECONDS, SMALL_BODY_BYTES } from "../../lib/platform/http/body.ts";
import { nothingHere, operatorInWords, type PublicError } from "../../lib/platform/http/errors.ts";
import {
  CHANGES_MINUTES,
  IDLE_DAYS,
  OPERATOR_HOURS,
  SESSION_DAYS,
} from "../../lib/members/sessions.ts";
import { FOYER } from "../../lib/platform/site_name.ts";
import { memoize } from "../../lib/platform/memoize.ts";
import { type Additions, DocumentPage } from "./DocumentPage.tsx";
import { answerPage, cachedResponse, type CacheScope, represent } from "../shared/kept_pages.tsx";

const FOLDER = new URL("../../static/docs/", import.meta.url);
const EMBED_SCRIPT = new URL("../../static/embed-1.js", import.meta.url);
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

/** The search's text about the members' own page. */
const ABOUT_ACCOUNT = "Sign in to create an API key, and to see what your keys spend.";
const ACCOUNT_PAGE: Document = {
  name: "account",
  address: ACCOUNT,
  title: "Your account: sign in and get a key",
  summary: ABOUT_ACCOUNT,
  markdown: `# Your account: sign in and get a key\n\n${ABOUT_ACCOUNT}\n`,
};

interface Documents {
  readonly all: readonly Document[];
  /** Under an organisation's own name, those about operating the software are not for its visitors. */
  readonly listed: readonly Document[];
  /** The documents that the search looks through: the listed documents, and the members' page where members can sign in. */
  readonly searched: readonly Document[];
}

/** The documents; in development they are read again each time. */
export function documentsOf(
  { config: { mode }, state: { operations, services: { config } } }: Context<State>,
): Promise<Documents> {
  return mode === "production" ? readOnce(operations)(config) : readAll(config, operations);
}

const readOnce = memoize((operations: Operations) =>
  memoize((config: Config) => readAll(config, operations))
);

async function readAll(config: Config, operations: Operations): Promise<Documents> {
  const fillings = { baseUrl: config.BASE_URL, values: await valuesOf(config) };
  const all = [
    ...await readDocuments(FOLDER, fillings),
    referenceOf(operations)(config).document,
    {
      name: "follow",
      address: followHref(EVERYTHING),
      ...FOLLOW,
      markdown: followMarkdown(EVERYTHING, siteOf(config), null),
    },
    STATUS,
  ];
  const listed = config.SITE_NAME === FOYER ? all : all.filter((each) => !isForOperators(each));
  const searched = config.SIGN_IN_ISSUER === undefined ? listed : [...listed, ACCOUNT_PAGE];
  return { all, listed, searched };
}

/**
 * Answers with a document; its page shows the additions too.
 *
 * @throws {PublicError} `not_found` if no document has the name.
 */
export async function answerDocument(
  ctx: Context<State>,
  name: string,
  additions: Additions = {},
): Promise<Response> {
  const { address, contentVersion, named, page } = await documentOf(ctx, name);
  return await answerPage(ctx, { ...DOCUMENT_SCOPE, contentVersion }, {
    address,
    html: () => ({ element: page(additions) }),
    markdown: () => named().markdown,
  });
}

/** Answers a form with the page of a document, which no cache keeps. @param error what was wrong with the form. */
export async function uncachedResponse(
  ctx: Context<State>,
  name: string,
  additions: Additions,
  error?: PublicError,
): Promise<Response> {
  const { address, page } = await documentOf(ctx, name);
  const html = await ctx.state.renderPage(address, page(additions));
  const type = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
  return new Response(html, {
    status: error?.status ?? 200,
    headers: { ...error?.headers, ...type },
  });
}

/**
 * A document with the event that its samples name, and its page.
 *
 * @throws {PublicError} `not_found` if no document has the name.
 */
async function documentOf(ctx: Context<State>, name: string) {
  const { all, listed } = await documentsOf(ctx);
  const document = all.find((each) => each.name === name);
  if (document === undefined) throw nothingHere(undefined, "All documents are listed at /docs.");
  const { address, markdown } = document;
  // A document waits for no events.
  const catalog = ctx.state.services.events.latest();
  const event = catalog && exampleOf(allEvents(catalog, catalog.day().date));
  const named = () => event ? { ...document, markdown: nameEvent(markdown, event) } : document;
  const page = (additions: Additions) => (
    <DocumentPage document={named()} documents={listed} {...additions} />
  );
  return { address, contentVersion: event ?? "", named, page };
}

/** The id of an event to try the samples with; undefined if there is none. */
function exampleOf(events: readonly Event[]): string | undefined {
  return (events.find(({ status }) => status !== "ended") ?? events.at(-1))?.id;
}

/** Answers with markdown that is made from all documents. */
export async function answerText(
  ctx: Context<State>,
  address: string,
  make: (documents: readonly Document[], site: Site) => string,
): Promise<Response> {
  const { listed } = await documentsOf(ctx);
  const markdown = () => represent("text/markdown; charset=utf-8", make(listed, ctx.state.site));
  return await cachedResponse(ctx, DOCUMENT_SCOPE, address, markdown);
}

/** Answers with JSON that is made from the configuration, and with a `Link` header. */
export async function answerJson(
  ctx: Context<State>,
  { address, contentType, link, make }: {
    readonly address: string;
    readonly contentType: string;
    /** A value of `Link` (RFC 8288). */
    readonly link: string;
    readonly make: (config: Config) => unknown;
  },
): Promise<Response> {
  const { config } = ctx.state.services;
  const json = () => represent(contentType, JSON.stringify(make(config)), { headers: { link } });
  return await cachedResponse(ctx, DOCUMENT_SCOPE, address, json);
}

/** Documents, like the configuration, change only with a deployment. */
export const DOCUMENT_SCOPE: CacheScope = { contentVersion: "", maxAgeSeconds: MAX_AGE_SECONDS };

/** The values of the placeholders `{{name}}` in documents. */
async function valuesOf(config: Config): Promise<Record<string, string>> {
  const numbers = {
    ...proxyFigures(config),
    refusalDays: REFUSAL_DAYS,
    sessionDays: SESSION_DAYS,
    idleDays: IDLE_DAYS,
    operatorHours: OPERATOR_HOURS,
    changesMinutes: CHANGES_MINUTES,
    recordDays: BOOK_DAYS,
    maxLiveKeys: MAX_LIVE_KEYS,
    maxImportRows: MAX_IMPORT_ROWS,
    lowCreditUsd: LOW_CREDIT_USD,
    backupDays: BACKUP_DAYS,
    bodySeconds: BODY_SECONDS,
    smallBodyBytes: SMALL_BODY_BYTES,
    inForceSeconds: IN_FORCE_MILLISECONDS / 1000,
    maxLagSeconds: MAX_LAG_MILLISECONDS / 1000,
    defaultFeedLimit: DEFAULT_FEED_LIMIT,
    sharingWidth: SHARING_SIZE.width,
    sharingHeight: SHARING_SIZE.height,
  };
  // A price has at most nine decimals: whole nano-dollars.
  const format = new Intl.NumberFormat("en", { maximumFractionDigits: 9 });
  const operator = operatorInWords(config.SITE_CONTACT);
  return {
    errors: errorSections(operator).trimEnd(),
    operator,
    timeZone: config.EVENTS_TIME_ZONE,
    // Browsers refuse a script with any other digest (Subresource Integrity).
    embedIntegrity: `sha384-${
      createHash("sha384").update(await Deno.readFile(EMBED_SCRIPT)).digest("base64")
    }`,
    // Without sign-in, no page mentions it.
    getKey: config.SIGN_IN_ISSUER === undefined
      ? `Ask ${operator} for a key.`
      : `[Sign in](${ACCOUNT}) and create a key: it is shown once.`,
    whoShowsRefusals: config.SIGN_IN_ISSUER === undefined
      ? "Your operator can list"
      : `[Your account](${ACCOUNT}#refused) lists`,
    ...Object.fromEntries(
      Object.entries(numbers).map(([name, value]) => [name, format.format(value)]),
    ),
  };
}
