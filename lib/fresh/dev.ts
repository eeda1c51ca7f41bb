/** Building an app, and serving it in development: `fresh/dev`. Never imported in production. */

import type { App } from "./app.ts";
import { type BundleFile, bundleIslands } from "./bundle.ts";
import { withReload } from "./dev_reload.ts";
import {
  islandFiles,
  listFiles,
  routeFiles,
  toStaticFile,
  visibleFiles,
  withoutExtension,
} from "./files.ts";
import { islandsOf, type IslandSource, islandSources } from "./island_source.ts";
import { attach } from "./snapshot.ts";
import type { ListenOptions } from "./types.ts";
import { writeBuild } from "./write_build.ts";

/** Where an app's parts lie; the defaults are Fresh's. */
export interface BuilderOptions {
  readonly root?: string;
  readonly serverEntry?: string;
  readonly outDir?: string;
  readonly staticDir?: string;
  readonly islandDir?: string;
  readonly routeDir?: string;
  /** Browsers that the client code is made for, as esbuild names them. */
  readonly target?: string | string[];
}

/** What the folders of a project hold, before it is written or attached. */
export interface Project {
  readonly root: string;
  readonly outDir: string;
  readonly serverEntry: string;
  readonly buildId: string;
  readonly routeDir: string;
  /** Relative to `routeDir`, with extensions. */
  readonly routes: readonly string[];
  readonly islands: readonly IslandSource[];
  readonly staticDir: string;
  /** Relative to `staticDir`. */
  readonly staticFiles: readonly string[];
  readonly bundle: readonly BundleFile[];
}

/** Builds an app. */
export class Builder {
  readonly #options: Required<BuilderOptions>;

  constructor(options: BuilderOptions = {}) {
    this.#options = {
      root: options.root ?? Deno.cwd(),
      serverEntry: options.serverEntry ?? "main.ts",
      outDir: options.outDir ?? "_fresh",
      staticDir: options.staticDir ?? "static",
      islandDir: options.islandDir ?? "islands",
      routeDir: options.routeDir ?? "routes",
      target: options.target ?? ["chrome99", "firefox99", "safari15"],
    };
  }

  /**
   * Serves the app from its sources, with everything cached nowhere. Run under `deno --watch`, the
   * browser reloads after each restart.
   *
   * @param importApp gives the app, or the module that exports it as `app`.
   */
  async listen<State>(
    importApp: () => Promise<App<State> | { app: App<State> }>,
    options: ListenOptions = {},
  ): Promise<Deno.HttpServer<Deno.NetAddr>> {
    const project = await this.#collect(true);
    const imported = await importApp();
    const app = "app" in imported ? imported.app : imported;
    await attachProject(app, project, true);
    const server = Deno.serve(options, withReload(app.handler()));
    return server;
  }

  /**
   * Builds for production.
   *
   * @param options `snapshot: "disk"` writes the build's folder, "memory" nothing at all.
   * @returns what attaches the build to an app of this process.
   */
  async build(
    { mode = "production", snapshot = "disk" }: {
      mode?: "production" | "development";
      snapshot?: "disk" | "memory";
    } = {},
  ): Promise<<State>(app: App<State>) => Promise<void>> {
    const project = await this.#collect(mode === "development");
    if (snapshot === "disk") await writeBuild(project);
    return (app) => attachProject(app, project, mode === "development");
  }

  async #collect(development: boolean): Promise<Project> {
    const { root, outDir, serverEntry, target, ...dirs } = this.#options;
    const at = (dir: string) => `${root}/${dir}`;
    const [routes, islands, files] = await Promise.all([
      listFiles(at(dirs.routeDir)),
      listFiles(at(dirs.islandDir)),
      listFiles(at(dirs.staticDir)),
    ]);
    const sources = islandSources([
      ...islandFiles(islands, true).map((file) => `${at(dirs.islandDir)}${file}`),
      ...islandFiles(routes, false).map((file) => `${at(dirs.routeDir)}${file}`),
    ]);
    const buildId = await newBuildId();
    return {
      root,
      outDir: at(outDir),
      serverEntry: at(serverEntry),
      buildId,
      routeDir: at(dirs.routeDir),
      routes: routeFiles(routes),
      islands: sources,
      staticDir: at(dirs.staticDir),
      staticFiles: visibleFiles(files),
      bundle: await bundleIslands({
        root,
        buildId,
        development,
        target: [target].flat(),
        islands: sources,
      }),
    };
  }
}

async function attachProject<State>(
  app: App<State>,
  project: Project,
  development: boolean,
): Promise<void> {
  const { buildId, routeDir, staticDir } = project;
  const load = (file: string): Promise<Record<string, unknown>> => import(`file://${file}`);
  const bundle = new Map(
    project.bundle.map(({ path, bytes }) => [path, toStaticFile(path, bytes, !development)]),
  );
  const known = new Set(project.staticFiles);
  attach(app, {
    buildId,
    mode: development ? "development" : "production",
    routes: await Promise.all(project.routes.map(async (file) => ({
      path: withoutExtension(file),
      module: await load(`${routeDir}${file}`),
    }))),
    islands: (await Promise.all(project.islands.map(async (source) =>
      islandsOf(await load(source.file), source, buildId)
    ))).flat(),
    bootUrl: `/_fresh/js/${buildId}/fresh-runtime.js`,
    staticFile(path) {
      const bundled = bundle.get(path);
      if (bundled !== undefined) {
        return bundled;
      }
      if (!known.has(path)) {
        return null;
      }
      return Deno.readFile(`${staticDir}${path}`)
        .then((bytes) =>
          toStaticFile(path, bytes, !development)
        );
    },
  });
}

/** As upstream: SHA-1 of what names the deployment, or of something that is never twice the same. */
async function newBuildId(): Promise<string> {
  const names = ["DENO_DEPLOYMENT_ID", "GITHUB_SHA", "CI_COMMIT_SHA"];
  const name = names.map((name) => Deno.env.get(name)).find((value) => value !== undefined);
  const bytes = new TextEncoder().encode(name ?? crypto.randomUUID());
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).toHex();
}
