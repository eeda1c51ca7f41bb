/** Gives an app its build; the generated server does so too. */

import type { ComponentType } from "preact";
import type { App } from "./app.ts";
import { setBuildId } from "./asset.ts";
import { attachBuild, type BuildCache, type Island, type Module } from "./build_cache.ts";

/** A build with its modules loaded. */
interface BuildSnapshot extends Omit<BuildCache, "islands"> {
  readonly islands: readonly {
    readonly url: string;
    readonly file: string;
    readonly module: Module;
  }[];
}

/** Gives a build to an app, and its id to `asset()`. */
export function attachSnapshot<State>(app: App<State>, snapshot: BuildSnapshot): void {
  setBuildId(snapshot.buildId);
  const islands = snapshot.islands.flatMap(({ url, file, module }) =>
    Object.entries(module).flatMap(([exportName, component]): Island[] =>
      typeof component === "function"
        // Fresh's convention: every function that an island's module exports is a component.
        ? [{
          name: islandName(file, exportName),
          exportName,
          url,
          component: component as ComponentType,
        }]
        : []
    )
  );
  app[attachBuild]({ ...snapshot, islands });
}

function islandName(file: string, exportName: string): string {
  const [, name = ""] = /([^/]+)\.\w+$/.exec(file) ?? [];
  return exportName === "default" ? name.replace(/\W/g, "_") : exportName;
}
