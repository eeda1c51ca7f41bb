/** What a build hands to an app: route modules, islands, static files. */

import type { ComponentType } from "preact";

/** A file of the routes folder: its path there, with a leading slash and without extension. */
export interface RouteFile {
  readonly path: string;
  // Checked when the routes are registered: a module may export anything.
  readonly module: Record<string, unknown>;
}

/** A component that runs in the browser: its name on the page and the address of its module. */
export interface Island {
  readonly name: string;
  readonly exportName: string;
  readonly component: ComponentType;
  readonly url: string;
}

/** A static file, ready to be sent. */
export interface StaticFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** SHA-256 in hex; null in development, where nothing is cached. */
  readonly hash: string | null;
}

/** The result of a build. */
export interface BuildCache {
  readonly buildId: string;
  readonly mode: "development" | "production";
  readonly routes: readonly RouteFile[];
  readonly islands: readonly Island[];
  /** The address of the browser's runtime. */
  readonly bootUrl: string;
  /** The file at a path, or null. */
  staticFile(path: string): StaticFile | null | Promise<StaticFile | null>;
}

/** The key under which a build is attached to an app. */
export const attachBuild = Symbol("attachBuild");
