/** The routes folder: makes registrations from files. */

import type { RouteFile } from "./build_cache.ts";
import { HttpError } from "./error.ts";
import type { Middleware } from "./handler.ts";
import { patternOfFile } from "./pattern.ts";
import { routeHandler, type RouteModule } from "./route_handler.ts";
import { type Building, composeSegments, frameOf, segmentsOf } from "./segments.ts";
import type { PageComponent } from "./types.ts";

/** Registers every file of the routes folder: wrappers, layouts and middleware before the routes. */
export function registerRouteFiles<State>(building: Building<State>): void {
  const files = (building.cache?.routes ?? []).toSorted(byPrecedence);
  for (const file of files) if (isShared(file)) registerShared(building, file);
  for (const file of files) if (!isShared(file)) registerRoute(building, file);
}

function registerShared<State>({ root }: Building<State>, { path, module }: RouteFile): void {
  const segment = segmentsOf(root, folderOf(path)).at(-1) ?? root;
  const exported: RouteModule<State> = module;
  // A wrapper or layout declares no data, so it accepts any.
  const component = exported.default as PageComponent<never, never> | undefined;
  switch (nameOf(path)) {
    case "_app":
      root.app = component ?? null;
      break;
    case "_layout":
      if (component) segment.layout = { component, config: exported.config ?? {} };
      break;
    case "_middleware":
      // Fresh's convention: a function, or a list of functions in their order.
      segment.middlewares.push(
        ...[exported.default ?? exported.handler].flat() as Middleware<State>[],
      );
      break;
    case "_error":
      segment.error = routeHandler(
        exported,
        ({ error }) => error instanceof HttpError ? error.status : 500,
      );
  }
}

function registerRoute<State>(building: Building<State>, { path, module }: RouteFile): void {
  const { root, router, config, cache } = building;
  const segments = segmentsOf(root, folderOf(path));
  router.add(patternOfFile(path), {
    handle: composeSegments(segments, routeHandler(module as RouteModule<State>)),
    internals: { config, cache, frame: frameOf(segments) },
  });
}

function isShared({ path }: RouteFile): boolean {
  return /^_(app|layout|middleware|error)$/.test(nameOf(path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Orders literals before groups before parameters before rest parameters, folder by folder. */
function byPrecedence(a: RouteFile, b: RouteFile): number {
  const [left, right] = [a.path.split("/"), b.path.split("/")];
  const at = left.findIndex((segment, at) => segment !== right[at]);
  const [one = "", other = ""] = [left[at], right[at]];
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

function rank(segment: string): number {
  if (segment.includes("[...")) return 3;
  if (segment.includes("[")) return 2;
  return segment.startsWith("(") ? 1 : 0;
}
