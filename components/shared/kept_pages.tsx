/**
 * Answers with a page as HTML or markdown, whichever the request prefers. The bytes are made once, and kept as long
 * as the data that they show are the same; those of an address with a query string are shared only while
 * they are made, because the number of filters has no limit.
 */

import type { Context } from "fresh";
import { Head } from "fresh/runtime";
import type { VNode } from "preact";
import type { Catalog } from "../../lib/events/catalog.ts";
import type { Event } from "../../lib/events/model.ts";
import { brandingVersion } from "../../lib/events/site/site.ts";
import {
  choosePageType,
  notAcceptable,
  PAGE_TYPES,
  type PageType,
  twinOf,
} from "../../lib/platform/http/negotiate.ts";
import {
  type Content,
  createRepresentation,
  type Representation,
  roomOf,
  sendRepresentation,
} from "../../lib/platform/http/representation.ts";
import { makeInTurn } from "../../lib/platform/http/wire.ts";
import { createCache } from "../../lib/platform/cache.ts";
import { memoize } from "../../lib/platform/memoize.ts";
import { ADDRESSES } from "../../lib/operate/reference/reference.ts";
import type { Services } from "../../lib/operate/services.ts";
import type { State } from "../../lib/operate/state.ts";
import { contentSecurityPolicy, pageHeaders } from "./policy.ts";

/** A page. Each of its representations is made on its first request. */
interface CachedPage {
  /** Its canonical address on this site, with the query string if that changes the page. */
  readonly address: string;
  html(): PageContent | Promise<PageContent>;
  /** The same facts as markdown: it begins with the heading, and every link is absolute. */
  markdown(): string | Promise<string>;
}

/** A page to render. */
export interface PageContent {
  readonly element: VNode;
  /** The rules of its events' themes, as they are in a style element of the page. */
  readonly rules?: string;
}

/** The data that a page is made from, and how long it lasts. */
export interface CacheScope {
  /** The version of the data. The bytes are kept until a request has another one. */
  readonly contentVersion: string;
  /** The version of the part of the data that the page shows. The bytes are kept while it is the same. */
  readonly shown?: () => string;
  /** How long a browser may cache the page. */
  readonly maxAgeSeconds: number;
}

/** The catalog at the time of a request, and what every page about events needs. */
export interface CatalogScope extends CacheScope {
  readonly catalog: Catalog;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** The feeds and the calendar that every page links to. */
export const FEEDS = [
  { href: "/api/v1/events/rss", type: "application/rss+xml", title: "New events" },
  { href: "/feed.atom", type: "application/atom+xml", title: "New events (Atom)" },
  { href: "/feed.json", type: "application/feed+json", title: "New events (JSON Feed)" },
  { href: "/calendar.ics", type: "text/calendar", title: "All events" },
] as const;
/** How many bytes of pages are kept. */
const MAX_KEPT_BYTES = 24 * 1024 * 1024;
/**
 * The links of every page for machines (RFC 8288): the index of all pages (llmstxt.org), the descriptions of the
 * APIs (RFC 8631) and their list (RFC 9727), and the feeds.
 */
const LINKS = [
  `</llms.txt>; rel="describedby"; type="text/markdown"`,
  `<${ADDRESSES.description}>; rel="service-desc"; type="application/json"`,
  `<${ADDRESSES.page}>; rel="service-doc"; type="text/html"`,
  `<${ADDRESSES.catalog}>; rel="api-catalog"`,
  ...FEEDS.map(({ href, type }) => `<${href}>; rel="alternate"; type="${type}"`),
].join(", ");

/** The pages of a service. */
const pagesOf = memoize((_services: Services) => createCache(MAX_KEPT_BYTES, roomOf));

/** The catalog and the day of a request. */
export async function catalogScope({ services, site: { baseUrl } }: State): Promise<CatalogScope> {
  const catalog = await services.events.catalog();
  const { timeZone } = catalog;
  const { date: today, endsAt } = catalog.day();
  // Words such as "in 12 days" are wrong after midnight.
  const maxAgeSeconds = catalog.maxAge(endsAt);
  const contentVersion = `${today} ${catalog.version}`;
  return { catalog, today, timeZone, baseUrl, contentVersion, maxAgeSeconds };
}

/** The scope of a page that shows only some events: changes of others leave its bytes as they are. */
export function showing(scope: CatalogScope, events: () => readonly Event[]): CatalogScope {
  return { ...scope, shown: () => `${scope.today} ${scope.catalog.versionOf(events())}` };
}

/**
 * Answers with a page in the representation that the request prefers.
 *
 * @throws {PublicError} `not_acceptable` if it accepts neither.
 */
export async function answerPage(
  ctx: Context<State>,
  scope: CacheScope,
  page: CachedPage,
): Promise<Response> {
  const type = choosePageType(ctx.req);
  if (type === null) throw notAcceptable(PAGE_TYPES);
  const name = `${type} ${page.address}`;
  return await cachedResponse(
    ctx,
    scope,
    name,
    (isOneOfMany) => prepare(ctx, page, type, isOneOfMany),
  );
}

/**
 * Answers with the representation that was made before, if its data are the same; otherwise makes it.
 *
 * @param name canonical; one with a query string is not kept.
 */
export async function cachedResponse(
  ctx: Context<State>,
  { contentVersion, shown, maxAgeSeconds }: CacheScope,
  name: string,
  make: (isOneOfMany: boolean) => Representation | Promise<Representation>,
): Promise<Response> {
  const { config, state: { services, site } } = ctx;
  const isOneOfMany = name.includes("?");
  const branding = brandingVersion(site);
  // In development a page is made for each request, since its source changes.
  const isKept = config.mode === "production" && !isOneOfMany;
  const page = await pagesOf(services).get(
    name,
    branding + contentVersion,
    () => isOneOfMany ? makeInTurn(() => make(true)) : make(false),
    { isKept, ...shown && { shown: () => branding + shown() } },
  );
  return await sendRepresentation(ctx, page, { maxAgeSeconds });
}

async function prepare(
  ctx: Context<State>,
  page: CachedPage,
  type: PageType,
  isOneOfMany: boolean,
): Promise<Representation> {
  const { baseUrl } = ctx.state.site;
  if (type === "text/markdown") {
    const markdown = withPointer(await page.markdown(), baseUrl);
    const link = `<${baseUrl}${page.address}>; rel="canonical", ${LINKS}`;
    const headers = { link };
    return represent(`${type}; charset=utf-8`, markdown, { vary: "accept", headers, isOneOfMany });
  }
  const { element, rules } = await page.html();
  const html = await ctx.state.renderPage(
    page.address,
    <>
      <Head>
        <link rel="alternate" type="text/markdown" href={twinOf(page.address)} />
      </Head>
      {element}
    </>,
  );
  const policy = contentSecurityPolicy(html, ctx.state.site, rules);
  const link = `<${twinOf(page.address)}>; rel="alternate"; type="text/markdown", ${LINKS}`;
  return represent(`${type}; charset=utf-8`, html, {
    vary: "accept",
    headers: { link, "content-security-policy": policy, ...pageHeaders(baseUrl) },
    isOneOfMany,
  });
}

/** A text, as it is sent. */
export function represent(
  contentType: string,
  text: string,
  more: Omit<Content, "contentType" | "bytes"> = {},
): Representation {
  const bytes = new TextEncoder().encode(text);
  return createRepresentation({ contentType, bytes, ...more });
}

/** Adds a line below the heading that leads to all other pages. */
function withPointer(markdown: string, baseUrl: string): string {
  return markdown.replace("\n", `\n\n> All pages of this site: <${baseUrl}/llms.txt>\n`);
}
