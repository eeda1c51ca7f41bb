/** `fresh/runtime`, which runs on the server and in the browser. */

import { type ComponentChildren, toChildArray } from "preact";
import { current } from "./render_state.ts";

export { asset } from "./asset.ts";

/** Adds elements to the page's head. An element replaces an equivalent earlier one. */
export function Head({ children }: { children?: ComponentChildren }): null {
  for (const child of toChildArray(children)) {
    if (typeof child === "object") current?.head.push(child);
  }
  return null;
}
