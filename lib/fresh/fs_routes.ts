/** The routes folder: files to registrations. */

import type { Building } from "./app.ts";
import type { RouteFile } from "./build_cache.ts";
import type { Context } from "./context.ts";
import { HttpError } from "./error.ts";
import { patternOfFile } from "./pattern.ts";
import { routeHandler } from "./route_handler.ts";
import { childSegment, composeSegments, frameOf, segmentsOf } from "./segments.ts";
import {
  METHODS,
  type Middleware,
  type PageComponent,
  type RouteConfig,
  type RouteHandler,
} from "./types.ts";

/** What a route file may export. */
interface RouteModule<State> {
  readonly handlers?: RouteHandler<unknown, State>;
  readonly handler?: RouteHandler<unknown, State>;
  readonly default?: PageComponent<unknown, State>;
  readonly config?: RouteConfig;
}

/** Registers every file of the build's routes folder, in an order that lets `_` files come first. */
export function registerRouteFiles<State>(building: Building<State>): void {
  const files = (building.cache?.routes ?? []).toSorted(byPrecedence);
  for (const file of files) if (isSpecial(file)) registerSpecial(building, file);
  for (const file of files) if (!isSpecial(file)) registerRoute(building, file);
}

function registerSpecial<State>({ root }: Building<State>, { path, module }: RouteFile): void {
  const segment = childSegment(root, folderOf(path));
  // The build checks nothing of a module: these are the types that Fresh gives the exports.
  const exported = module as RouteModule<State>;
  const component = exported.default;
  const config = exported.config ?? {};
  switch (nameOf(path)) {
    case "_app":
      root.app = (component ?? null) as typeof root.app;
      break;
    case "_layout":
      if (component) {
        segment.layout = { component: component as PageComponent<never, never>, config };
      }
      break;
    case "_middleware": {
      const given = (component ?? exported.handler ?? exported.handlers) as unknown;
      segment.middlewares.push(...[given].flat() as Middleware<State>[]);
      break;
    }
    case "_error":
      segment.error = errorPage(exported);
      break;
    case "_404":
      root.notFound = errorPage(exported);
      break;
  }
}

/** An error page has the status of its error, also where upstream's `_404` would answer 200. */
function errorPage<State>(exported: RouteModule<State>): Middleware<State> {
  const { handlers, handler, default: component, config = {} } = exported;
  const status = ({ error }: Context<State>) => error instanceof HttpError ? error.status : 500;
  return routeHandler(handlers ?? handler ?? null, component ?? null, config, status);
}

function registerRoute<State>(building: Building<State>, { path, module }: RouteFile): void {
  const { root, router, cache } = building;
  const segments = segmentsOf(root, folderOf(path));
  const { handlers, handler, default: component, config = {} } = module as RouteModule<State>;
  const handle = routeHandler(handlers ?? handler ?? null, component ?? null, config);
  const endpoint = {
    handle: composeSegments(segments, handle),
    internals: { frame: frameOf(segments), cache },
  };
  for (const method of METHODS) router.add(method, patternOfFile(path), endpoint);
}

function isSpecial({ path }: RouteFile): boolean {
  return /^_(app|layout|middleware|error|404)$/.test(nameOf(path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Literals before parameters before rests, in each folder (FRESH.md, section 4). */
function byPrecedence(a: RouteFile, b: RouteFile): number {
  const [left, right] = [a, b].map(({ path }) => path.split("/"));
  for (let at = 0; left && right && at < Math.max(left.length, right.length); at++) {
    const [one = "", other = ""] = [left[at], right[at]];
    if (one !== other) return rank(one) - rank(other) || (one < other ? -1 : 1);
  }
  return 0;
}

function rank(segment: string): number {
  if (segment.includes("[...")) return 3;
  if (segment.includes("[")) return 2;
  return /^\(.*\)$/.test(segment) ? 1 : 0;
}
