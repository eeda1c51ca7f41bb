/** What the generated `_fresh/` folder needs when it runs: from lists of modules to a build cache. */

import type { App } from "./app.ts";
import { setBuildId } from "./asset.ts";
import { attachBuild, type BuildCache, type RouteFile, type StaticFile } from "./build_cache.ts";
import { contentTypeOf } from "./content_type.ts";
import { islandsOf, type IslandSource } from "./island_source.ts";

/** What `_fresh/snapshot.js` holds. */
export interface BuildSnapshot {
  readonly buildId: string;
  readonly routes: readonly RouteFile[];
  readonly islands: readonly (IslandSource & { readonly module: Record<string, unknown> })[];
  /** By path: the file on disk, relative to the snapshot, and its SHA-256. */
  readonly files: Readonly<Record<string, { readonly file: string; readonly hash: string }>>;
}

/** Attaches a snapshot to an app. Static files are read when first asked for, and kept. */
export function attachSnapshot<State>(
  app: App<State>,
  snapshot: BuildSnapshot,
  base: string,
): void {
  const kept = new Map<string, StaticFile>();
  async function read(path: string, file: string, hash: string): Promise<StaticFile> {
    const bytes = await Deno.readFile(new URL(file, base));
    const read = { bytes, contentType: contentTypeOf(path), hash };
    kept.set(path, read);
    return read;
  }
  attach(app, {
    buildId: snapshot.buildId,
    mode: "production",
    routes: snapshot.routes,
    islands: snapshot.islands.flatMap(({ module, ...source }) =>
      islandsOf(module, source, snapshot.buildId)
    ),
    bootUrl: `/_fresh/js/${snapshot.buildId}/fresh-runtime.js`,
    staticFile(path) {
      if (!Object.hasOwn(snapshot.files, path)) return null;
      const known = snapshot.files[path];
      return known === undefined ? null : kept.get(path) ?? read(path, known.file, known.hash);
    },
  });
}

/** Attaches a build to an app, and to `asset()`. */
export function attach<State>(app: App<State>, cache: BuildCache): void {
  setBuildId(cache.buildId);
  app[attachBuild](cache);
}
