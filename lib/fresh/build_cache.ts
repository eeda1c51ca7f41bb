/** What a build hands to an app: route modules, islands, static files. */

import type { ComponentType } from "preact";

/** A module of the app. Checked where it is used: a module may export anything. */
export type Module = Readonly<Record<string, unknown>>;

/** A file of the routes folder: its path there, with a leading slash and without extension. */
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

/** A static file: how to read it, and its SHA-256 in hex (null in development: never cached). */
export interface StaticFile {
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly hash: string | null;
}

/** The result of a build. */
export interface BuildCache {
  readonly buildId: string;
  readonly mode: "development" | "production";
  readonly routes: readonly RouteFile[];
  readonly islands: readonly Island[];
  readonly staticFiles: ReadonlyMap<string, StaticFile>;
}

/** The address below which a build's scripts lie; they never change. */
export function scriptsAddress(buildId: string): string {
  return `/_fresh/js/${buildId}/`;
}

/** The method of an app that takes its build. */
export const attachBuild = Symbol("attachBuild");
