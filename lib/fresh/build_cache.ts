/** The parts of a build: route modules, islands, static files. */

import type { ComponentType } from "preact";

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
  readonly exportName: string;
  readonly component: ComponentType;
  readonly url: string;
}

/** Reads a static file. */
type StaticFile = () => Promise<Uint8Array<ArrayBuffer>>;

/** The result of a build. */
export interface BuildCache {
  readonly buildId: string;
  readonly mode: "development" | "production";
  readonly routes: readonly RouteFile[];
  readonly islands: readonly Island[];
  readonly staticFiles: ReadonlyMap<string, StaticFile>;
}

/** The folder of a build's scripts, which never change. */
export function scriptsAddress(buildId: string): string {
  return `/_fresh/js/${buildId}/`;
}

/** The name of the method that gives an app its build. */
export const attachBuild = Symbol("attachBuild");
