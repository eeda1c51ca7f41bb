/** Writes a build to its folder: the generated server with its list of modules, and the scripts. */

import { dirname, relative } from "node:path/posix";
import type { Project } from "./project.ts";

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
      `import { attachBuild } from ${from(new URL("build.ts", import.meta.url).pathname)};`,
      ...routes.map(([, file], at) => `import * as route${at} from ${from(file)};`),
      ...islands.map(([, file], at) => `import * as island${at} from ${from(file)};`),
      `const read = (file) => () => Deno.readFile(new URL(file, import.meta.url));`,
      `attachBuild(app, {buildId:"${buildId}",mode:"production",routes:[`,
      ...routes.map(([path], at) => `{path:${JSON.stringify(path)},module:route${at}},`),
      `],islands:[`,
      ...islands.map(([url, file], at) => `{url:"${url}",file:${from(file)},module:island${at}},`),
      `],staticFiles:new Map([`,
      ...[...files].map(([path, file]) => `[${JSON.stringify(path)},read(${from(file)})],`),
      `])});`,
      `const handler = app.handler();`,
      `export default { fetch: (request, info) => handler(request, info) };\n`,
    ].join("\n"),
  );
}
