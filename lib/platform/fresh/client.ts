/** The runtime in the browser: finds the islands of the page and hydrates them in document order. */

import { type ComponentType, h, hydrate } from "preact";

/** Hydrates every island of the page. The comments around it disappear. */
export function boot(islands: Record<string, ComponentType>, props: readonly object[]): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT);
  const comments: Comment[] = [];
  // The walker shows comments only.
  while (walker.nextNode()) comments.push(walker.currentNode as Comment);
  for (const start of comments) {
    const [, name = "", at] = /^frsh:island:(\w+):(\d+):/.exec(start.data) ?? [];
    const component = islands[name];
    if (component) hydrateIsland(start, component, props[Number(at)] ?? {});
  }
}

/** Hydrates the nodes between an island's two comments, as if they were alone in their parent. */
function hydrateIsland(start: Comment, component: ComponentType, props: object): void {
  const parent = start.parentNode;
  const nodes: Node[] = [];
  let end = start.nextSibling;
  while (end !== null && !(end instanceof Comment && end.data === "/frsh:island")) {
    nodes.push(end);
    end = end.nextSibling;
  }
  const after = document.createTextNode("");
  end?.replaceWith(after);
  start.remove();
  const insertBefore = (node: Node, before: Node | null) =>
    parent?.insertBefore(node, before ?? after);
  // Preact reads and changes its root through these members.
  const root = {
    nodeType: 1,
    parentNode: parent,
    namespaceURI: after.parentElement?.namespaceURI,
    firstChild: nodes[0] ?? null,
    childNodes: nodes,
    contains: (node: Node) => parent?.contains(node),
    insertBefore,
    appendChild: (node: Node) => insertBefore(node, null),
    removeChild: (node: Node) => parent?.removeChild(node),
  };
  hydrate(h(component, props), root as unknown as Element);
}
