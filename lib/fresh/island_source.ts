/** Islands as the build finds them in their modules. */

import type { ComponentType } from "preact";
import type { Island } from "./build_cache.ts";

/** A module of islands. */
export interface IslandSource {
  /** The absolute path of the module. */
  readonly file: string;
  /** The name of the module's part of the bundle. */
  readonly entry: string;
}

/** Names each module's part of the bundle after its file. */
export function islandSources(files: readonly string[]): IslandSource[] {
  return files.map((file, at) => {
    const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
    return { file, entry: `island-${name.replace(/\W/g, "_")}-${at}` };
  });
}

/** The islands of a module: every function that it exports. */
export function islandsOf(
  module: Record<string, unknown>,
  { file, entry }: IslandSource,
  buildId: string,
): Island[] {
  const fileName = file.slice(file.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  return Object.entries(module).flatMap(([exportName, component]) =>
    typeof component === "function"
      ? [{
        name: exportName === "default" ? fileName.replace(/\W/g, "_") : exportName,
        exportName,
        component: component as ComponentType,
        url: `/_fresh/js/${buildId}/${entry}.js`,
      }]
      : []
  );
}

/** The path of a `file:` URL. */
export function fromFileUrl(url: URL): string {
  return decodeURIComponent(url.pathname);
}
