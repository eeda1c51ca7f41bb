/** `fresh/runtime`: what components of pages call. */

import { type ComponentChildren, toChildArray } from "preact";
import { currentVersions } from "./build.ts";
import { current } from "./render.ts";

/**
 * The address of a static file that changes with its content, so that browsers cache the file for ever.
 *
 * @param path without a query string.
 */
export function asset(path: string): string {
  const version = currentVersions.get(path);
  return version === undefined ? path : `${path}?__frsh_c=${version}`;
}

/** Adds elements to the page's head. An element replaces an earlier one with its key, and a title the title. */
export function Head({ children }: { children?: ComponentChildren }): null {
  for (const child of toChildArray(children)) {
    if (typeof child === "object") current?.head.push(child);
  }
  return null;
}
