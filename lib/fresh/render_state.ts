/**
 * Collects head elements, islands and their props during one rendering. Preact calls its option hook `__b` before it
 * renders each element. Rendering is synchronous, so one variable holds the current state.
 */

import { cloneElement, Fragment, h, options, toChildArray, type VNode } from "preact";
import type { Build, Island } from "./build.ts";

/** The collection of one rendering. */
export interface RenderState {
  readonly build: Build;
  readonly head: VNode[];
  readonly usedIslands: Set<Island>;
  readonly islandProps: object[];
}

/** The state of the current rendering; null outside of one. */
export let current: RenderState | null = null;

/** Runs a synchronous rendering that collects into `state`. */
export function withRenderState<T>(state: RenderState, render: () => T): T {
  current = state;
  try {
    return render();
  } finally {
    current = null;
  }
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
  for (const vnode of own) merged.set(placeOf(vnode), vnode);
  for (const vnode of collected) {
    const { key } = vnode;
    merged.set(placeOf(vnode), key ? cloneElement(vnode, { "data-key": key }) : vnode);
  }
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
