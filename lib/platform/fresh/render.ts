/**
 * Rendering a page: the app wrapper around it, then the islands' script. The page is rendered first, so that its
 * `Head` has collected its elements when the wrapper's head is rendered. Rendering is synchronous, so one variable
 * holds what it has collected.
 */

import { type ComponentType, Fragment, h, options, toChildArray, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { jsxTemplate } from "preact/jsx-runtime";
import { type Build, type Island, RUNTIME_SCRIPT, scriptsAddress } from "./build.ts";

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

/** The collection of one rendering. */
interface RenderState {
  readonly build: Build;
  readonly head: VNode[];
  readonly usedIslands: Set<Island>;
  readonly islandProps: object[];
}

/** The state of the current rendering; null outside of one. */
export let current: RenderState | null = null;

/** The document of a page. */
export function renderPage(
  vnode: VNode,
  { req, state }: { readonly req: Request; readonly state: unknown },
  build: Build,
  skipAppWrapper: boolean,
): string {
  current = { build, head: [], usedIslands: new Set(), islandProps: [] };
  try {
    const page = renderToString(vnode);
    const props = { Component: () => jsxTemplate([page]), url: new URL(req.url), state };
    // Fresh's convention: the default export of `routes/_app.tsx`.
    const wrapper = build.routes.find(({ path }) => path === "/_app")?.module["default"];
    const html = wrapper === undefined || skipAppWrapper
      ? bareDocument(page)
      : renderToString(h(wrapper as ComponentType<PageProps>, props));
    const end = html.lastIndexOf("</body>");
    return `<!DOCTYPE html>${html.slice(0, end)}${bootScript(current)}${html.slice(end)}`;
  } finally {
    current = null;
  }
}

function bareDocument(page: string): string {
  if (/<head[\s>]/i.test(page)) return page;
  const head = renderToString(h("head", null, h("meta", { charset: "utf-8" })));
  return `<html>${head}<body>${page}</body></html>`;
}

/**
 * The one script of a page with islands: it loads the modules and has their props. In development every page has one,
 * for reloading.
 */
function bootScript({ build: { mode, buildId }, usedIslands, islandProps }: RenderState): string {
  const islands = [...usedIslands];
  if (islands.length === 0 && mode === "production") return "";
  const parts = ["{boot}", ...islands.map(({ name }) => `{default:${name}}`)];
  const urls = [`${scriptsAddress(buildId)}${RUNTIME_SCRIPT}`, ...islands.map(({ url }) => url)];
  const imports = urls.map((url) => `import("${url}")`);
  const names = islands.map(({ name }) => name).join(",");
  // Without these characters, no HTML parser finds the script's end in the props.
  const props = JSON.stringify(islandProps).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
  return `<script type="module">${DRAWN}` +
    `const[${parts.join(",")}]=await Promise.all([${imports.join(",")}]);` +
    `boot({${names}},${props})</script>`;
}

/** The elements of islands that are marked already. */
const marked = new WeakSet<object>();

/** An island's element between the two comments that mark it for the browser. */
function markIsland(island: Island, element: VNode, state: RenderState): VNode[] {
  marked.add(element);
  const at = state.islandProps.push(element.props) - 1;
  state.usedIslands.add(island);
  return [comment(`frsh:island:${island.name}:${at}:`), element, comment("/frsh:island")];
}

/** An element that preact-render-to-string prints as a comment; preact's types do not know it. */
function comment(text: string): VNode {
  return h(Fragment, { UNSTABLE_comment: text } as object);
}

/** The wrapper's head elements, replaced or followed by those that `Head` collected. */
function mergeHead(children: unknown, collected: readonly VNode[]): VNode[] {
  const merged = new Map<unknown, VNode>();
  const own = toChildArray(children as VNode).filter((child) => typeof child === "object");
  for (const vnode of [...own, ...collected]) merged.set(placeOf(vnode), vnode);
  return [...merged.values()];
}

/** Equal for elements that replace each other. */
function placeOf(vnode: VNode): unknown {
  return vnode.key ?? (vnode.type === "title" ? "title" : vnode);
}

// Preact's hooks have mangled names, which its types leave out.
const hooks = options as { __b?: (vnode: VNode<Record<string, unknown>>) => void };
const before = hooks.__b;

hooks.__b = function collect(vnode) {
  before?.(vnode);
  if (current === null) return;
  const { type, props } = vnode;
  if (typeof type === "function") {
    const island = current.build.islands.get(type);
    if (island === undefined || marked.has(vnode)) return;
    vnode.type = Fragment as typeof vnode.type;
    vnode.props = { children: markIsland(island, h(type, props), current) };
  } else if (type === "head") {
    vnode.props = { ...props, children: mergeHead(props.children, current.head) };
  }
};
