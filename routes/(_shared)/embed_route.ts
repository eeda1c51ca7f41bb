/** Answers with a page for a frame: prepared like other pages, and the only kind that other sites may frame. */

import { renderToString } from "preact-render-to-string";
import type { VNode } from "preact";
import type { Context } from "fresh";
import { createRepresentation, sendRepresentation } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { EMBED_TEXTS } from "../(_components)/Embed.tsx";
import { framedHeaders } from "../(_components)/policy.ts";
import { type CatalogBasis, keepRepresentation } from "../(_components)/prepared.tsx";
import { withSite } from "../(_components)/site.tsx";

/** A page for a frame. */
interface EmbedPage {
  readonly element: VNode;
  /** The rules of its events' looks. */
  readonly looks: string;
}

/**
 * Answers with a page for a frame. It depends on its address alone, and neither reads nor sets cookies.
 *
 * @param address its canonical address.
 */
export async function answerEmbed(
  ctx: Context<State>,
  basis: CatalogBasis,
  address: string,
  make: () => EmbedPage,
): Promise<Response> {
  const { edition, maxAgeSeconds } = basis;
  const kept = await keepRepresentation(ctx, basis, `embed ${edition} ${address}`, () => {
    const { element, looks } = make();
    const html = `<!doctype html>${renderToString(withSite(ctx.state.site, element))}`;
    return createRepresentation({
      contentType: "text/html; charset=utf-8",
      bytes: new TextEncoder().encode(html),
      headers: framedHeaders({ ...EMBED_TEXTS, looks }, basis.baseUrl),
    });
  });
  return await sendRepresentation(ctx.req, kept, { maxAgeSeconds });
}
