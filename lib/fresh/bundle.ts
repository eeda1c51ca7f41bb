/** The browser's code: one bundle of the runtime and every island, split where they share code. */

import * as esbuild from "esbuild";
import { fromFileUrl, type IslandSource } from "./island_source.ts";

/** A file of the bundle: its path below the site's root, and its bytes. */
export interface BundleFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a bundle is made of. */
export interface BundleOptions {
  readonly root: string;
  readonly buildId: string;
  readonly development: boolean;
  readonly target: readonly string[];
  readonly islands: readonly IslandSource[];
}

/**
 * Bundles. `fresh/runtime` and `preact` resolve as they do on the server.
 *
 * @throws {Error} with esbuild's messages if an island cannot be bundled.
 */
export async function bundleIslands(options: BundleOptions): Promise<BundleFile[]> {
  const { root, buildId, development, islands } = options;
  const client = development ? "client_dev.ts" : "client.ts";
  const entryPoints: Record<string, string> = {
    "fresh-runtime": fromFileUrl(new URL(client, import.meta.url)),
  };
  for (const { entry, file } of islands) entryPoints[entry] = file;
  try {
    const result = await esbuild.build({
      absWorkingDir: root,
      entryPoints,
      outdir: `${root}/_fresh/js/${buildId}`,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target: [...options.target],
      jsx: "automatic",
      jsxImportSource: "preact",
      minify: !development,
      sourcemap: development ? "inline" : false,
      legalComments: "none",
      logLevel: "silent",
      // Bare names resolve from this project, wherever the island lies.
      nodePaths: [fromFileUrl(new URL("../../node_modules", import.meta.url))],
      alias: { "fresh/runtime": fromFileUrl(new URL("runtime.ts", import.meta.url)) },
      define: { "process.env.NODE_ENV": development ? '"development"' : '"production"' },
    });
    return result.outputFiles.map(({ path, contents }) => ({
      path: path.slice(root.length),
      bytes: new Uint8Array(contents),
    }));
  } finally {
    await esbuild.stop();
  }
}
