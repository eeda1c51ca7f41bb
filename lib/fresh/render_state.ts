/**
 * What one rendering collects: head elements, islands and their props. Preact tells of each element
 * as it is rendered (its option hook `__b`, "before diff"); rendering is synchronous, so one variable
 * says which rendering that is.
 */

import {
  cloneElement,
  type ComponentType,
  createContext,
  Fragment,
  h,
  options,
  toChildArray,
  type VNode,
} from "preact";
import { useContext } from "preact/hooks";
import type { BuildCache, Island } from "./build_cache.ts";

/** What one rendering has collected so far. */
export interface RenderState {
  /** 32 hex digits, for every script and style of the page. */
  readonly nonce: string;
  readonly head: VNode[];
  readonly islands: Map<unknown, Island>;
  readonly usedIslands: Set<Island>;
  readonly islandProps: Record<string, unknown>[];
}

/** An empty state. */
export function createRenderState(cache: BuildCache | null): RenderState {
  return {
    nonce: crypto.randomUUID().replaceAll("-", ""),
    head: [],
    islands: new Map(cache?.islands.map((island) => [island.component, island])),
    usedIslands: new Set(),
    islandProps: [],
  };
}

let current: RenderState | null = null;

/** Runs a synchronous rendering that collects into `state`. */
export function withRenderState<T>(state: RenderState, render: () => T): T {
  const outer = current;
  current = state;
  try {
    return render();
  } finally {
    current = outer;
  }
}

/** The state of the rendering that runs, or null in the browser. */
export function currentRenderState(): RenderState | null {
  return current;
}

/** What is inside an island is the island's own: it becomes no island of its own. */
const InsideIsland = createContext(false);

function IslandBoundary(
  { island, props, state }: { island: Island; props: Record<string, unknown>; state: RenderState },
) {
  // An island takes whatever props its own component declares.
  const element = h(island.component as ComponentType<object>, props);
  wrapped.add(element);
  if (useContext(InsideIsland)) return element;
  const at = state.islandProps.push(props) - 1;
  state.usedIslands.add(island);
  return h(InsideIsland.Provider, { value: true }, [
    h(Fragment, comment(`frsh:island:${island.name}:${at}:`)),
    element,
    h(Fragment, comment("/frsh:island")),
  ]);
}

/** The elements that a boundary renders, which are not to become boundaries again. */
const wrapped = new WeakSet<object>();

/** How preact-render-to-string is told to print a comment; its types do not know it. */
function comment(text: string) {
  return { UNSTABLE_comment: text } as Record<string, unknown>;
}

/** Head elements that mean the same: one title, one of each key, one of equal attributes. */
function headKey(vnode: VNode): string {
  if (vnode.type === "title") return "title";
  if (vnode.key !== null && vnode.key !== undefined) return `key ${vnode.key}`;
  const attributes = Object.entries(vnode.props).filter(([name]) =>
    !["children", vnode.type === "meta" ? "content" : "", vnode.type === "link" ? "href" : ""]
      .includes(name)
  );
  return `${String(vnode.type)} ${JSON.stringify(attributes.toSorted())}`;
}

/** The elements of the wrapper's head, with those that `Head` collected in their place or after. */
function mergeHead(children: unknown, collected: readonly VNode[]): VNode[] {
  const own = toChildArray(children as VNode).filter((child) => typeof child === "object");
  const merged = new Map<string, VNode>();
  for (const [at, vnode] of own.entries()) {
    merged.set(merged.has(headKey(vnode)) ? `${headKey(vnode)} ${at}` : headKey(vnode), vnode);
  }
  for (const vnode of collected) {
    const { key } = vnode;
    merged.set(headKey(vnode), key ? cloneElement(vnode, { "data-key": key }) : vnode);
  }
  return [...merged.values()];
}

// Preact's hooks have mangled names, which its types leave out.
type Hooks = { __b?: (vnode: VNode<Record<string, unknown>>) => void };
const hooks = options as Hooks;
const before = hooks.__b;

hooks.__b = function collect(vnode) {
  before?.(vnode);
  if (current === null) return;
  const { type, props } = vnode;
  if (typeof type === "function") {
    const island = current.islands.get(type);
    if (island === undefined || wrapped.has(vnode)) return;
    vnode.type = IslandBoundary as typeof vnode.type;
    vnode.props = { island, props, state: current, children: null };
  } else if (type === "script" || type === "style") {
    if (props.nonce === undefined) vnode.props = { ...props, nonce: current.nonce };
  } else if (type === "head") {
    vnode.props = { ...props, children: mergeHead(props.children, current.head) };
  }
};
