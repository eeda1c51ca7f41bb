/** Answers with a page for a frame: prepared like other pages, and the only kind that other sites may frame. */

import { renderToString } from "preact-render-to-string";
import type { VNode } from "preact";
import type { Context } from "fresh";
import { createRepresentation } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { EMBED_TEXTS } from "../(_components)/Embed.tsx";
import { framedHeaders } from "../(_components)/policy.ts";
import { answerKept, type CatalogBasis } from "../(_components)/prepared.tsx";
import { withSite } from "../(_components)/site.tsx";

/**
 * Answers with a page for a frame. It depends on its address alone, and neither reads nor sets cookies.
 *
 * @param address its canonical address.
 * @param make makes its content, and the rules of its events' looks.
 */
export async function answerEmbed(
  ctx: Context<State>,
  basis: CatalogBasis,
  address: string,
  make: () => { readonly element: VNode; readonly looks: string },
): Promise<Response> {
  return await answerKept(ctx, basis, `embed ${basis.edition} ${address}`, () => {
    const { element, looks } = make();
    const html = `<!doctype html>${renderToString(withSite(ctx.state.site, element))}`;
    return createRepresentation({
      contentType: "text/html; charset=utf-8",
      bytes: new TextEncoder().encode(html),
      headers: framedHeaders({ ...EMBED_TEXTS, looks }, basis.baseUrl),
    });
  });
}
