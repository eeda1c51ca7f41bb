/**
 * Collects head elements, islands and their props during one rendering. Preact calls its option hook `__b` before it
 * renders each element. Rendering is synchronous, so one variable holds the current state.
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

/** The collection of one rendering. */
export interface RenderState {
  readonly head: VNode[];
  readonly islands: ReadonlyMap<unknown, Island>;
  readonly usedIslands: Set<Island>;
  readonly islandProps: object[];
}

/** An empty collection. */
export function createRenderState(cache: BuildCache | null): RenderState {
  return {
    head: [],
    islands: new Map(cache?.islands.map((island) => [island.component, island])),
    usedIslands: new Set(),
    islandProps: [],
  };
}

/** The state of the current rendering; null in the browser. */
export let current: RenderState | null = null;

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

/** An island inside another is a part of it, and not hydrated by itself. */
const InsideIsland = createContext(false);
/** The elements rendered by a boundary, which must not become boundaries again. */
const bounded = new WeakSet<object>();

/** An island between the two comments that mark it for the browser. */
function IslandBoundary(
  { island, props, state }: { island: Island; props: object; state: RenderState },
) {
  const isInside = useContext(InsideIsland);
  // An island has the props that its component declares.
  const element = h(island.component as ComponentType<object>, props);
  bounded.add(element);
  if (isInside) return element;
  const at = state.islandProps.push(props) - 1;
  state.usedIslands.add(island);
  return h(InsideIsland.Provider, { value: true }, [
    comment(`frsh:island:${island.name}:${at}:`),
    element,
    comment("/frsh:island"),
  ]);
}

/** An element that preact-render-to-string prints as a comment; preact's types do not know it. */
function comment(text: string): VNode {
  return h(Fragment, { UNSTABLE_comment: text } as object);
}

/** Equal for elements that replace each other: titles, equal keys, equal attributes. */
function headKey({ type, key, props }: VNode): string {
  if (type === "title" || key) return String(key || type);
  const value = type === "meta" ? "content" : type === "link" ? "href" : "children";
  const attributes = Object.entries(props)
    .filter(([name]) => name !== "children" && name !== value);
  return `${type} ${JSON.stringify(attributes.toSorted())}`;
}

/** The wrapper's head elements, replaced or followed by those that `Head` collected. */
function mergeHead(children: unknown, collected: readonly VNode[]): VNode[] {
  const merged = new Map<unknown, VNode>();
  const own = toChildArray(children as VNode).filter((child) => typeof child === "object");
  // None of the wrapper's own elements replaces another.
  for (const vnode of own) merged.set(merged.has(headKey(vnode)) ? vnode : headKey(vnode), vnode);
  for (const vnode of collected) {
    merged.set(headKey(vnode), vnode.key ? cloneElement(vnode, { "data-key": vnode.key }) : vnode);
  }
  return [...merged.values()];
}

// Preact's hooks have mangled names, which its types leave out.
const hooks = options as { __b?: (vnode: VNode<Record<string, unknown>>) => void };
const before = hooks.__b;

hooks.__b = function collect(vnode) {
  before?.(vnode);
  if (current === null) return;
  const { type, props } = vnode;
  if (typeof type === "function") {
    const island = current.islands.get(type);
    if (island === undefined || bounded.has(vnode)) return;
    vnode.type = IslandBoundary as typeof vnode.type;
    vnode.props = { island, props, state: current, children: null };
  } else if (type === "head") {
    vnode.props = { ...props, children: mergeHead(props.children, current.head) };
  }
};
