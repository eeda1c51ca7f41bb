/** `fresh/runtime`: what components of pages call. */

import { type ComponentChildren, toChildArray } from "preact";
import { currentBuildId } from "./build.ts";
import { current } from "./render.ts";

/** The query parameter that carries the build's id. */
const ASSET_KEY = "__frsh_c";

/**
 * The address of a static file that changes with the build, so that browsers cache the file for ever. An address of
 * another site stays unchanged.
 */
export function asset(path: string): string {
  if (currentBuildId === "" || !/^\/(?!\/)/.test(path) || path.includes(ASSET_KEY)) return path;
  const [, file = "", query = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(path) ?? [];
  return `${file}${query === "" ? "?" : `${query}&`}${ASSET_KEY}=${currentBuildId}${hash}`;
}

/** Adds elements to the page's head. An element replaces an earlier one with its key, and a title the title. */
export function Head({ children }: { children?: ComponentChildren }): null {
  for (const child of toChildArray(children)) {
    if (typeof child === "object") current?.head.push(child);
  }
  return null;
}
