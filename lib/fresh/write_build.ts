/** Writing a build to its folder: the generated server, its list of modules, the browser's code. */

import { createHash } from "node:crypto";
import type { Project } from "./dev.ts";
import { withoutExtension } from "./files.ts";

/** Writes `_fresh/`. Sources and static files stay where they are and are referred to. */
export async function writeBuild(project: Project): Promise<void> {
  const { outDir } = project;
  await Deno.remove(outDir, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const files: Record<string, { file: string; hash: string }> = {};
  const list = (path: string, file: string, bytes: Uint8Array) => {
    const hash = createHash("sha256").update(bytes).digest("hex");
    files[path] = { file: relative(outDir, file), hash };
  };
  for (const path of project.staticFiles) {
    const file = `${project.staticDir}${path}`;
    list(path, file, await Deno.readFile(file));
  }
  for (const { path, bytes } of project.bundle) {
    const file = `${outDir}/static${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(file, bytes);
    list(path, file, bytes);
  }
  await Deno.writeTextFile(`${outDir}/snapshot.js`, snapshotModule(project, files));
  await Deno.writeTextFile(`${outDir}/server.js`, serverModule(project));
}

function snapshotModule(project: Project, files: object): string {
  const { outDir, routeDir, routes, islands } = project;
  const from = (file: string) => JSON.stringify(relative(outDir, file));
  return [
    ...routes.map((file, at) => `import * as route${at} from ${from(`${routeDir}${file}`)};`),
    ...islands.map(({ file }, at) => `import * as island${at} from ${from(file)};`),
    `export const snapshot = {`,
    `  buildId: ${JSON.stringify(project.buildId)},`,
    `  routes: [`,
    ...routes.map((file, at) =>
      `    { path: ${JSON.stringify(withoutExtension(file))}, module: route${at} },`
    ),
    `  ],`,
    `  islands: [`,
    ...islands.map(({ file, entry }, at) =>
      `    { file: ${from(file)}, entry: ${JSON.stringify(entry)}, module: island${at} },`
    ),
    `  ],`,
    `  files: ${JSON.stringify(files)},`,
    `};`,
    ``,
  ].join("\n");
}

function serverModule({ outDir, serverEntry }: Project): string {
  const attach = relative(
    outDir,
    decodeURIComponent(new URL("snapshot.ts", import.meta.url).pathname),
  );
  return [
    `import { app } from ${JSON.stringify(relative(outDir, serverEntry))};`,
    `import { attachSnapshot } from ${JSON.stringify(attach)};`,
    `import { snapshot } from "./snapshot.js";`,
    `attachSnapshot(app, snapshot, import.meta.url);`,
    `const handler = app.handler();`,
    `export default { fetch: (request, info) => handler(request, info) };`,
    ``,
  ].join("\n");
}

/** The path from a folder to a file, with a leading `./` or `../`. */
function relative(folder: string, file: string): string {
  const [from, to] = [folder.split("/"), file.split("/")];
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const up = from.slice(same).map(() => "..");
  const path = [...up, ...to.slice(same)].join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
