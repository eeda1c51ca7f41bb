/**
 * Rendering a page: its layouts around it, the app wrapper around those, then the islands' script.
 * The page is rendered first, so that its `Head` has collected its elements when the wrapper's head is rendered.
 */

import { type ComponentType, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { jsxTemplate } from "preact/jsx-runtime";
import type { BuildCache } from "./build_cache.ts";
import { bootScript } from "./island_script.ts";
import { createRenderState, withRenderState } from "./render_state.ts";
import type { PageComponent, RequestProps, RouteConfig } from "./types.ts";

/** The app wrapper and the layouts of a page, from root to leaf. */
export interface Frame {
  readonly app: PageComponent<never, never> | null;
  readonly layouts: readonly { component: PageComponent<never, never>; config: RouteConfig }[];
}

/**
 * The document of a page, or the response that one of its async components returned instead.
 *
 * @param requestProps called for a wrapper only: an error's page has none, and the request's address may be an invalid
 *   URL.
 */
export async function renderPage<State>(
  requestProps: () => RequestProps<State>,
  vnode: VNode | null,
  { app, layouts }: Frame,
  cache: BuildCache | null,
  config: RouteConfig,
): Promise<string | Response> {
  const state = createRenderState(cache);
  const render = (node: VNode | null) =>
    node === null ? "" : withRenderState(state, () => renderToString(node));
  const inherited = config.skipInheritedLayouts ? [] : layouts;
  const outermost = inherited.findLastIndex((layout) => layout.config.skipInheritedLayouts);
  const used = inherited.slice(Math.max(0, outermost));
  const skipApp = config.skipAppWrapper || used.some((layout) => layout.config.skipAppWrapper);
  const wrappers = used.map((layout) => layout.component).toReversed();
  if (app !== null && !skipApp) wrappers.push(app);

  let html = render(vnode);
  for (const wrapper of wrappers) {
    const inner = html;
    const Component: ComponentType = () => jsxTemplate([inner]);
    // Upstream defines a wrapper's props; preact's types know only its own.
    const props = { ...requestProps(), data: null, Component } as never;
    const result = wrapper.constructor.name === "AsyncFunction"
      ? await wrapper(props)
      : h(wrapper as ComponentType, props);
    if (result instanceof Response) return result;
    html = render(result);
  }
  if (!/<head[\s>]/i.test(html)) {
    const head = render(h("head", null, h("meta", { charset: "utf-8" })));
    html = `<html>${head}<body>${html}</body></html>`;
  }
  const end = html.lastIndexOf("</body>");
  const script = cache === null ? "" : bootScript(state, cache);
  return `<!DOCTYPE html>${html.slice(0, end)}${script}${html.slice(end)}`;
}
