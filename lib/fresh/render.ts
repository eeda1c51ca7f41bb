/**
 * Rendering a page: the app wrapper around it, then the islands' script. The page is rendered first, so that its
 * `Head` has collected its elements when the wrapper's head is rendered.
 */

import { type ComponentType, h, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { jsxTemplate } from "preact/jsx-runtime";
import { type Build, RUNTIME_SCRIPT, scriptsAddress } from "./build.ts";
import { type RenderState, withRenderState } from "./render_state.ts";

/** The props of the app wrapper; `Component` is the page at `url`, and `state` that of the request. */
export interface PageProps<_Data = unknown, State = unknown> {
  readonly Component: ComponentType;
  readonly url: URL;
  readonly state: State;
}

/**
 * Fetches no script before the first paint, so that the visible images come first. A background tab never paints, so
 * the script waits three seconds at most.
 */
const DRAWN = "await new Promise(done=>{" +
  'new PerformanceObserver(done).observe({type:"paint",buffered:true});setTimeout(done,3e3)});';

/** The document of a page. */
export function renderPage(
  vnode: VNode,
  { req, state }: { readonly req: Request; readonly state: unknown },
  build: Build,
  skipAppWrapper: boolean,
): string {
  const collected: RenderState = { head: [], build, usedIslands: new Set(), islandProps: [] };
  const html = withRenderState(collected, () => {
    const page = renderToString(vnode);
    // Fresh's convention: the default export of `routes/_app.tsx`.
    const wrapper = build.routes.find(({ path }) => path === "/_app")?.module["default"];
    if (wrapper !== undefined && !skipAppWrapper) {
      const Component = () => jsxTemplate([page]);
      const props: PageProps = { Component, url: new URL(req.url), state };
      return renderToString(h(wrapper as ComponentType<PageProps>, props));
    }
    if (/<head[\s>]/i.test(page)) return page;
    const head = renderToString(h("head", null, h("meta", { charset: "utf-8" })));
    return `<html>${head}<body>${page}</body></html>`;
  });
  const end = html.lastIndexOf("</body>");
  return `<!DOCTYPE html>${html.slice(0, end)}${bootScript(collected)}${html.slice(end)}`;
}

/**
 * The one script of a page with islands: it loads the modules and has their props. In development every page has one,
 * for reloading.
 */
function bootScript({ build: { mode, buildId }, usedIslands, islandProps }: RenderState): string {
  const islands = [...usedIslands];
  if (islands.length === 0 && mode === "production") return "";
  const parts = ["{boot}", ...islands.map(({ name, exportName }) => `{${exportName}:${name}}`)];
  const urls = [`${scriptsAddress(buildId)}${RUNTIME_SCRIPT}`, ...islands.map(({ url }) => url)];
  const imports = urls.map((url) => `import("${url}")`);
  const names = islands.map(({ name }) => name).join(",");
  // Without these characters, no HTML parser finds the script's end in the props.
  const props = JSON.stringify(islandProps).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
  return `<script type="module">${DRAWN}` +
    `const[${parts.join(",")}]=await Promise.all([${imports.join(",")}]);` +
    `boot({${names}},${props})</script>`;
}
