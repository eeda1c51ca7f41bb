/**
 * Rendering a page: its layouts around it, the app wrapper around those, then what the browser needs.
 * The page comes first, so that what its `Head` collects is there when the wrapper's head is made.
 */

import { type ComponentType, Fragment, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { jsxTemplate } from "preact/jsx-runtime";
import type { BuildCache } from "./build_cache.ts";
import type { Context, Frame } from "./context.ts";
import { bootScript } from "./island_script.ts";
import { createRenderState, type RenderState, withRenderState } from "./render_state.ts";
import { pageProps } from "./route_handler.ts";
import type { PageComponent, RouteConfig } from "./types.ts";

/** The document of a page, or the answer that one of its async components gave instead. */
export async function renderPage<State>(
  ctx: Context<State>,
  vnode: VNode | null,
  frame: Frame,
  cache: BuildCache | null,
  config: RouteConfig,
): Promise<string | Response> {
  const state = createRenderState(cache);
  const props = { ...pageProps(ctx), data: null };
  const inherited = config.skipInheritedLayouts ? [] : frame.layouts;
  const own = inherited.findLastIndex(({ config }) => config.skipInheritedLayouts);
  const layouts = own === -1 ? inherited : inherited.slice(own);
  const skipApp = config.skipAppWrapper || layouts.some(({ config }) => config.skipAppWrapper);

  let html = render(vnode, state);
  for (const { component } of layouts.toReversed()) {
    const wrapped = await around(component, html, props, state);
    if (wrapped instanceof Response) return wrapped;
    html = wrapped;
  }
  if (frame.app !== null && !skipApp) {
    const wrapped = await around(frame.app, html, props, state);
    if (wrapped instanceof Response) return wrapped;
    html = wrapped;
  }
  return complete(html, state, cache);
}

/** Renders a layout or the app wrapper around HTML that is finished. */
async function around(
  component: PageComponent<never, never>,
  html: string,
  props: object,
  state: RenderState,
): Promise<string | Response> {
  const Component: ComponentType = () => jsxTemplate([html]);
  const given = { ...props, Component } as never;
  if (component.constructor.name !== "AsyncFunction") {
    return render(h(component as ComponentType, given), state);
  }
  const result = await component(given);
  return result instanceof Response ? result : render(result, state);
}

function render(vnode: VNode | null, state: RenderState): string {
  return withRenderState(state, () => renderToString(vnode ?? h(Fragment, null)));
}

/** Adds what is missing of a document, and at its end the script of its islands. */
function complete(html: string, state: RenderState, cache: BuildCache | null): string {
  let document = html;
  if (!/<body[\s>]/i.test(document)) document = `<body>${document}</body>`;
  if (!/<head[\s>]/i.test(document)) {
    const head = render(h("head", null, h("meta", { charset: "utf-8" })), state);
    document = `${head}${document}`;
  }
  if (!/<html[\s>]/i.test(document)) document = `<html>${document}</html>`;
  const script = cache === null ? "" : bootScript(state, cache);
  const end = document.lastIndexOf("</body>");
  return `<!DOCTYPE html>${document.slice(0, end)}${script}${document.slice(end)}`;
}
