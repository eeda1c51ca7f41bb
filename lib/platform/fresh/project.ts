/** A project: its routes, islands and static files, the islands' bundle, and the build that is written from them. */

import { readdir } from "node:fs/promises";
import { dirname, relative } from "node:path/posix";
import { createHash } from "node:crypto";
import * as esbuild from "esbuild";
import { RUNTIME_SCRIPT, scriptsAddress } from "./build.ts";

/** Where an app is. */
export interface BuilderOptions {
  /** The absolute path of `main.ts`, `routes/`, `islands/` and `static/`. */
  readonly root: string;
}

/** The parts of a build. Files are absolute; the keys of maps are paths of the site. */
export type Project = Awaited<ReturnType<typeof readProject>>;

const MODULE = /\.[jt]sx?$/;
/** The browsers to support, as esbuild names them. */
const TARGET = ["chrome99", "firefox99", "safari15"];
/** The folder of a bundle, which is written nowhere. */
const OUT = "/out/";
const lib = new URL(".", import.meta.url).pathname;

/** Lists the files of the folders and bundles the islands. */
export async function readProject({ root }: BuilderOptions, isDev: boolean) {
  const modules = async (folder: string) =>
    (await listFiles(`${root}/${folder}`)).filter(([path]) => MODULE.test(path));
  const islands = (await modules("islands")).map(([, file], at) => [`island-${at}`, file] as const);
  const routes = await modules("routes");
  const bundled = await bundle(Object.fromEntries(islands), isDev);
  // By content, so that browsers keep what a deployment does not change, and two builders of one commit agree.
  const buildId = versionOf([...bundled].toSorted().flatMap(([name, bytes]) => [name, bytes]));
  const scripts = scriptsAddress(buildId);
  const staticFiles = new Map(await listFiles(`${root}/static`));
  return {
    buildId,
    outDir: `${root}/_fresh`,
    serverEntry: `${root}/main.ts`,
    /** By the route's path: relative to the routes folder, without extension. */
    routes: new Map(routes.map(([path, file]) => [path.replace(MODULE, ""), file])),
    /** By the address of the island's script. */
    islands: new Map(islands.map(([entry, file]) => [`${scripts}${entry}.js`, file])),
    staticFiles,
    versions: new Map(
      await Promise.all(
        [...staticFiles].map(async ([path, file]) =>
          [path, versionOf([await Deno.readFile(file)])] as const
        ),
      ),
    ),
    /** The scripts' contents. */
    scripts: new Map([...bundled].map(([name, bytes]) => [scripts + name, bytes])),
  };
}

/** A digest of some contents, as long as a build's id is upstream at least. */
function versionOf(contents: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const each of contents) hash.update(each);
  return hash.digest("hex").slice(0, 32);
}

/** One bundle of the browser's runtime and every island, split where they share code: contents by the names of files. */
async function bundle(
  islands: Readonly<Record<string, string>>,
  isDev: boolean,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const runtime = `${lib}${isDev ? "client_dev" : "client"}.ts`;
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: { [RUNTIME_SCRIPT.replace(/\.js$/, "")]: runtime, ...islands },
      outdir: OUT,
      write: false,
      bundle: true,
      splitting: true,
      format: "esm",
      target: TARGET,
      jsx: "automatic",
      jsxImportSource: "preact",
      minify: !isDev,
      sourcemap: isDev && "inline",
      legalComments: "none",
      logLevel: "silent",
      // Bare names resolve from this project, even for an island outside it.
      nodePaths: [`${lib}../../node_modules`],
    });
    return new Map(
      outputFiles.map(({ path, contents }) => [path.slice(OUT.length), new Uint8Array(contents)]),
    );
  } finally {
    await esbuild.stop();
  }
}

/** Every file below a folder by its path there, with a leading slash; none if the folder does not exist. */
async function listFiles(folder: string): Promise<(readonly [path: string, file: string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    .catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
  return entries.filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`).sort()
    .map((file) => [file.slice(folder.length), file] as const);
}

/** Writes `_fresh/`. Routes, islands and static files stay in place; the generated server refers to them. */
export async function writeBuild(project: Project): Promise<void> {
  const { outDir, buildId } = project;
  await Deno.remove(outDir, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const files = new Map(project.staticFiles);
  for (const [path, bytes] of project.scripts) {
    const file = `${outDir}/static${path}`;
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeFile(file, bytes);
    files.set(path, file);
  }
  const from = (file: string) => JSON.stringify(relative(outDir, file).replace(/^(?!\.)/, "./"));
  const [routes, islands] = [[...project.routes], [...project.islands]];
  await Deno.writeTextFile(
    `${outDir}/server.js`,
    [
      `import { app } from ${from(project.serverEntry)};`,
      `import { attachBuild } from ${from(`${lib}build.ts`)};`,
      ...routes.map(([, file], at) => `import * as route${at} from ${from(file)};`),
      ...islands.map(([, file], at) => `import * as island${at} from ${from(file)};`),
      `const read = (file) => () => Deno.readFile(new URL(file, import.meta.url));`,
      `attachBuild(app, {buildId:"${buildId}",mode:"production",routes:[`,
      ...routes.map(([path], at) => `{path:${JSON.stringify(path)},module:route${at}},`),
      `],islands:[`,
      ...islands.map(([url, file], at) => `{url:"${url}",file:${from(file)},module:island${at}},`),
      `],staticFiles:new Map([`,
      ...[...files].map(([path, file]) => `[${JSON.stringify(path)},read(${from(file)})],`),
      `]),versions:new Map(${JSON.stringify([...project.versions])})});`,
      `const handler = app.handler();`,
      `export default { fetch: (request, info) => handler(request, info) };\n`,
    ].join("\n"),
  );
}
