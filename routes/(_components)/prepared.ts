/**
 * Pages made of the catalog are rendered once for each snapshot and day, and sent from their bytes.
 */

import type { Context } from "fresh";
import { LRUCache } from "lru-cache";
import type { VNode } from "preact";
import type { Catalog } from "../../lib/events/catalog.ts";
import { digestOf } from "../../lib/events/snapshot.ts";
import { MAX_LAG_MILLISECONDS } from "../../lib/events/source.ts";
import { type Day, dayAt } from "../../lib/events/status.ts";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../../lib/http/representation.ts";
import type { State } from "../../lib/state.ts";
import { bootScripts, contentSecurityPolicy, withoutNonces } from "./policy.ts";

/** What a page is made from. */
export interface PageSource {
  readonly catalog: Catalog;
  readonly today: Day;
  readonly now: number;
}

/** A page to render: its element, and the content of its style element. */
export interface PageContent {
  readonly element: VNode;
  readonly styles: string;
}

interface PreparedPage {
  readonly representation: Representation;
  readonly policy: string;
}

/** Bytes of pages kept for one catalog; a search is a page of its own. */
const MAX_PREPARED_BYTES = 24 * 1024 * 1024;

const prepared = new WeakMap<Catalog, LRUCache<string, PreparedPage>>();

/** The catalog and the day of a request. */
export async function pageSource({ services }: State): Promise<PageSource> {
  const { config, events, now } = services;
  const catalog = await events.catalog();
  const at = now();
  return { catalog, today: dayAt(at, config.EVENTS_TIME_ZONE), now: at };
}

/**
 * Answers with a page; `make` is called only if nobody has asked for it on this day yet.
 *
 * @param key names the page among those of the catalog.
 */
export async function answerPage(
  ctx: Context<State>,
  { catalog, today, now }: PageSource,
  key: string,
  make: () => PageContent,
): Promise<Response> {
  let pages = prepared.get(catalog);
  if (pages === undefined) {
    pages = new LRUCache<string, PreparedPage>({
      maxSize: MAX_PREPARED_BYTES,
      // Room for the compressed copies that are made later.
      sizeCalculation: ({ representation }) => 2 * representation.size() + 1_000,
    });
    prepared.set(catalog, pages);
  }
  const name = `${today.date} ${key}`;
  let page = pages.get(name);
  if (page === undefined) {
    page = await preparePage(ctx, make());
    // In development a page is made anew each time: its script reloads it.
    if (ctx.config.mode === "production") pages.set(name, page);
  }
  const readAt = Math.min(catalog.snapshot.meta.readAt, now);
  // "In 12 days" is wrong after midnight.
  const freshUntil = Math.min(readAt + MAX_LAG_MILLISECONDS, today.endsAt);
  const maxAgeSeconds = Math.max(0, Math.floor((freshUntil - now) / 1_000));
  const answer = { requestId: ctx.state.requestId, maxAgeSeconds };
  const response = await sendRepresentation(ctx.req, page.representation, answer);
  response.headers.set("vary", "accept, accept-encoding");
  response.headers.set("content-security-policy", page.policy);
  return response;
}

async function preparePage(
  ctx: Context<State>,
  { element, styles }: PageContent,
): Promise<PreparedPage> {
  const rendered = await ctx.render(element);
  const html = withoutNonces(await rendered.text());
  const bytes = new TextEncoder().encode(html);
  return {
    representation: createRepresentation({
      contentType: "text/html; charset=utf-8",
      etag: `W/"${digestOf(bytes)}"`,
      bytes,
    }),
    policy: contentSecurityPolicy({ styles: [styles], scripts: bootScripts(html) }),
  };
}
