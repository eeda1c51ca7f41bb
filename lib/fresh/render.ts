/**
 * Rendering a page: the app wrapper around it, then the islands' script. The page is rendered first, so that its
 * `Head` has collected its elements when the wrapper's head is rendered.
 */

import { type ComponentType, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { jsxTemplate } from "preact/jsx-runtime";
import type { BuildCache } from "./build_cache.ts";
import { bootScript } from "./island_script.ts";
import { createRenderState, withRenderState } from "./render_state.ts";

/** The props of the app wrapper; `Component` is the page at `url`, and `state` that of the request. */
export interface PageProps<_Data = unknown, State = unknown> {
  readonly Component: ComponentType;
  readonly url: URL;
  readonly state: State;
}

/** The document of a page. */
export function renderPage(
  vnode: VNode,
  { req, state: requestState }: { readonly req: Request; readonly state: unknown },
  cache: BuildCache | null,
  skipAppWrapper: boolean,
): string {
  const state = createRenderState(cache);
  const html = withRenderState(state, () => {
    const page = renderToString(vnode);
    // Fresh's convention: the default export of `routes/_app.tsx`.
    const wrapper = cache?.routes.find(({ path }) => path === "/_app")?.module["default"];
    if (wrapper !== undefined && !skipAppWrapper) {
      const Component = () => jsxTemplate([page]);
      return renderToString(
        h(wrapper as ComponentType<PageProps>, {
          Component,
          url: new URL(req.url),
          state: requestState,
        }),
      );
    }
    if (/<head[\s>]/i.test(page)) return page;
    const head = renderToString(h("head", null, h("meta", { charset: "utf-8" })));
    return `<html>${head}<body>${page}</body></html>`;
  });
  const end = html.lastIndexOf("</body>");
  const script = cache === null ? "" : bootScript(state, cache);
  return `<!DOCTYPE html>${html.slice(0, end)}${script}${html.slice(end)}`;
}
