/** The browser's part: finds the islands in the page and brings them to life, in document order. */

import { parse } from "devalue";
import { type ComponentType, h, hydrate, render } from "preact";

/** Hydrates every island of the page. */
export function boot(islands: Record<string, ComponentType>, props: string): void {
  const all: Record<string, unknown>[] = parse(props);
  const comments = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT);
  const starts: Comment[] = [];
  // The walker shows comments only.
  while (comments.nextNode()) starts.push(comments.currentNode as Comment);
  for (const start of starts) {
    const [, name = "", at] = /^frsh:island:(\w+):(\d+):/.exec(start.data) ?? [];
    const component = islands[name];
    if (component) hydrateIsland(start, h(component, all[Number(at)] ?? {}));
  }
}

/** Hydrates over the nodes between an island's two comments, as if they were alone in their parent. */
function hydrateIsland(start: Comment, vnode: Parameters<typeof render>[0]): void {
  const parent = start.parentNode;
  if (parent === null) return;
  const nodes: Node[] = [];
  let end = start.nextSibling;
  while (end !== null && !(end instanceof Comment && end.data === "/frsh:island")) {
    nodes.push(end);
    end = end.nextSibling;
  }
  const insert = (node: Node, before: Node | null) => parent.insertBefore(node, before ?? end);
  // Preact reads and writes children of its root through these few members.
  const root = {
    nodeType: 1,
    parentNode: parent,
    namespaceURI: (parent as Element).namespaceURI,
    firstChild: nodes[0] ?? null,
    childNodes: nodes,
    contains: (node: Node) => parent.contains(node),
    insertBefore: insert,
    appendChild: (node: Node) => insert(node, null),
    removeChild: (node: Node) => parent.removeChild(node),
  };
  hydrate(vnode, root as unknown as Element);
}
