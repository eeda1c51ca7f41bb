/** A project: its routes, islands and static files, and the islands' bundle. */

import * as esbuild from "esbuild";
import { scriptsAddress } from "./build_cache.ts";
import { RUNTIME_SCRIPT } from "./island_script.ts";

/** The folders of an app; the defaults are Fresh's. */
export interface BuilderOptions {
  /** An absolute path. */
  readonly root?: string;
  readonly serverEntry?: string;
  readonly outDir?: string;
  readonly staticDir?: string;
  readonly islandDir?: string;
  readonly routeDir?: string;
  /** The browsers to support, as esbuild names them. */
  readonly target?: string | string[];
}

/** The parts of a build. Files are absolute; the maps' keys are paths of the site. */
export interface Project {
  readonly buildId: string;
  readonly outDir: string;
  readonly serverEntry: string;
  /** By the route's path: relative to the routes folder, without extension. */
  readonly routes: ReadonlyMap<string, string>;
  /** By the address of the island's script. */
  readonly islands: ReadonlyMap<string, string>;
  readonly staticFiles: ReadonlyMap<string, string>;
  /** The scripts' contents. */
  readonly scripts: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

const MODULE = /\.(?:tsx|jsx|ts|js)$/;
const TEST = /[._]test\.\w+$/;
const lib = new URL(".", import.meta.url).pathname;

/** Lists the files of the folders and bundles the islands. */
export async function readProject(options: BuilderOptions, isDev: boolean): Promise<Project> {
  const { root = Deno.cwd(), target = ["chrome99", "firefox99", "safari15"] } = options;
  const routeDir = `${root}/${options.routeDir ?? "routes"}`;
  const islandDir = `${root}/${options.islandDir ?? "islands"}`;
  const staticDir = `${root}/${options.staticDir ?? "static"}`;
  const buildId = await newBuildId();

  const inRoutes = (await listFiles(routeDir)).filter((file) =>
    MODULE.test(file) && !TEST.test(file)
  );
  // `(_x)` folders hold no routes, and `(_islands)` hold islands.
  const routes = inRoutes.filter((file) => !file.includes("/(_"));
  const islands = [
    ...(await listFiles(islandDir)).filter((file) => MODULE.test(file) && !TEST.test(file))
      .map((file) => islandDir + file),
    ...inRoutes.filter((file) => file.includes("/(_islands)/")).map((file) => routeDir + file),
  ].map((file, at) => [`island-${at}`, file] as const);
  return {
    buildId,
    outDir: `${root}/${options.outDir ?? "_fresh"}`,
    serverEntry: `${root}/${options.serverEntry ?? "main.ts"}`,
    routes: new Map(routes.map((file) => [file.replace(MODULE, ""), routeDir + file])),
    islands: new Map(
      islands.map(([entry, file]) => [`${scriptsAddress(buildId)}${entry}.js`, file]),
    ),
    staticFiles: new Map((await listFiles(staticDir)).map((file) => [file, staticDir + file])),
    scripts: await bundle(Object.fromEntries(islands), buildId, [target].flat(), isDev),
  };
}

/** One bundle of the browser's runtime and every island, split where they share code. */
async function bundle(
  islands: Readonly<Record<string, string>>,
  buildId: string,
  target: string[],
  isDev: boolean,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const runtime = `${lib}${isDev ? "client_dev" : "client"}.ts`;
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: { [RUNTIME_SCRIPT.replace(MODULE, "")]: runtime, ...islands },
      outdir: scriptsAddress(buildId),
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      target,
      jsx: "automatic",
      jsxImportSource: "preact",
      minify: !isDev,
      sourcemap: isDev && "inline",
      legalComments: "none",
      logLevel: "silent",
      // Bare names resolve from this project, even for an island outside it.
      nodePaths: [`${lib}../../node_modules`],
      alias: { "fresh/runtime": `${lib}runtime.ts` },
    });
    return new Map(outputFiles.map(({ path, contents }) => [path, new Uint8Array(contents)]));
  } finally {
    await esbuild.stop();
  }
}

/** Every file below a folder, as relative paths with a leading slash; none if the folder does not exist. */
async function listFiles(folder: string, below = ""): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder + below)) {
      const path = `${below}/${name}`;
      files.push(...isDirectory ? await listFiles(folder, path) : [path]);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

/** As upstream: the SHA-1 of the deployment's name, or else of a random UUID. */
async function newBuildId(): Promise<string> {
  const names = ["DENO_DEPLOYMENT_ID", "GITHUB_SHA", "CI_COMMIT_SHA"];
  const name = names.map((name) => Deno.env.get(name)).find((value) => value !== undefined);
  const bytes = new TextEncoder().encode(name ?? crypto.randomUUID());
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).toHex();
}
