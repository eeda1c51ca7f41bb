/** Building an app, and serving it in development: `fresh/dev`. Never imported in production. */

import type { App } from "./app.ts";
import { pathOf } from "../address.ts";
import { attachBuild, type Module } from "./build.ts";
import { type BuilderOptions, type Project, readProject, writeBuild } from "./project.ts";

/** Builds an app. */
export class Builder {
  constructor(private readonly options: BuilderOptions) {}

  /**
   * Serves the app from its sources, with nothing cached. Run under `deno --watch`, the browser
   * reloads after each restart.
   *
   * @param importApp imports the module that exports the app as `app`.
   */
  async listen<State>(
    importApp: () => Promise<{ app: App<State> }>,
    options: Partial<Deno.ServeTcpOptions> = {},
  ): Promise<void> {
    const project = await readProject(this.options, true);
    const { app } = await importApp();
    await attachProject(app, project, true);
    Deno.serve(options, withReload(app.handler()));
  }

  /**
   * Builds for production.
   *
   * @param options `snapshot: "disk"` writes the build's folder, "memory" writes nothing.
   * @returns the function that attaches the build to an app of this process.
   */
  async build(
    { snapshot = "disk" }: { snapshot?: "disk" | "memory" } = {},
  ): Promise<<State>(app: App<State>) => Promise<void>> {
    const project = await readProject(this.options, false);
    if (snapshot === "disk") await writeBuild(project);
    return (app) => attachProject(app, project, false);
  }
}

async function attachProject<State>(app: App<State>, project: Project, isDev: boolean) {
  const load = (file: string): Promise<Module> => import(`file://${file}`);
  attachBuild(app, {
    buildId: project.buildId,
    mode: isDev ? "development" : "production",
    versions: project.versions,
    routes: await Promise.all(
      [...project.routes].map(async ([path, file]) => ({ path, module: await load(file) })),
    ),
    islands: await Promise.all(
      [...project.islands].map(async ([url, file]) => ({ url, file, module: await load(file) })),
    ),
    staticFiles: new Map([
      ...[...project.staticFiles].map(([path, file]) => [path, () => Deno.readFile(file)] as const),
      ...[...project.scripts].map(([path, bytes]) => [path, () => Promise.resolve(bytes)] as const),
    ]),
  });
}

type Handler = ReturnType<App<unknown>["handler"]>;

/** Adds the address to which a page in development is connected until the server ends. */
function withReload(handler: Handler): Handler {
  return function answerOrReload(request, info) {
    if (pathOf(request.url) !== "/_frsh/alive") return handler(request, info);
    if (request.headers.get("upgrade") !== "websocket") return new Response(null, { status: 426 });
    return Deno.upgradeWebSocket(request).response;
  };
}
