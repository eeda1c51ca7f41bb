/** A build: its routes, islands and static files. The generated server and the `Builder` attach one to an app. */

/** A module of the app. It may export anything, so its users check it. */
export type Module = Readonly<Record<string, unknown>>;

/** A file of the routes folder; its path there has a leading slash and no extension. */
export interface RouteFile {
  readonly path: string;
  readonly module: Module;
}

/** A component that runs in the browser: its name on the page and the address of its module. */
export interface Island {
  readonly name: string;
  readonly url: string;
}

/** The result of a build. */
export interface Build {
  /** The id of the scripts: a digest of their contents. */
  readonly buildId: string;
  readonly mode: "development" | "production";
  readonly routes: readonly RouteFile[];
  /** By their components. */
  readonly islands: ReadonlyMap<unknown, Island>;
  /** The functions that read static files, by their paths. */
  readonly staticFiles: ReadonlyMap<string, () => Promise<Uint8Array<ArrayBuffer>>>;
  /** Digests of the static files' contents, by their paths. */
  readonly versions: ReadonlyMap<string, string>;
}

/** The modules of the islands, as they are loaded. */
interface LoadedBuild extends Omit<Build, "islands"> {
  readonly islands: readonly {
    readonly url: string;
    readonly file: string;
    readonly module: Module;
  }[];
}

/** The name of the browser's runtime among a build's scripts. */
export const RUNTIME_SCRIPT = "fresh-runtime.js";

/** The folder of a build's scripts, which never change. */
export function scriptsAddress(buildId: string): string {
  return `/_fresh/js/${buildId}/`;
}

/** The build of an app that has none yet. */
export const NO_BUILD: Build = {
  buildId: "",
  mode: "production",
  routes: [],
  islands: new Map(),
  staticFiles: new Map(),
  versions: new Map(),
};

/** The versions of the build that was attached last; a process serves one. */
export let currentVersions = NO_BUILD.versions;

/** Gives a build to an app, and its versions to `asset()`. */
export function attachBuild(app: { build: Build }, build: LoadedBuild): void {
  currentVersions = build.versions;
  // Fresh's convention: an island's default export is a component with the name of its file.
  const islands = build.islands.map(({ url, file, module }) => {
    const [, name = ""] = /([^/]+)\.\w+$/.exec(file) ?? [];
    return [module["default"], { name, url }] as const;
  });
  app.build = { ...build, islands: new Map(islands) };
}
