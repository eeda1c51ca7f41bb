/** What runs on the server and in the browser alike: `fresh/runtime`. */

import { type ComponentChildren, toChildArray } from "preact";
import { current } from "./render_state.ts";

export { asset } from "./asset.ts";

/** Adds elements to the page's head. An element that means the same as an earlier one replaces it. */
export function Head({ children }: { children?: ComponentChildren }): null {
  for (const child of toChildArray(children)) {
    if (typeof child === "object") current?.head.push(child);
  }
  return null;
}
