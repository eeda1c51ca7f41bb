/** Segments: the middleware, layouts and error pages of a folder, which apply to everything below it. */

import type { BuildCache } from "./build_cache.ts";
import type { ContextInternals } from "./context.ts";
import { logUnexpected } from "./error.ts";
import type { Handler, Middleware } from "./handler.ts";
import type { Frame } from "./render.ts";
import type { Router } from "./router.ts";
import type { FreshConfig, PageComponent, RouteConfig } from "./types.ts";

/** One folder of the tree of paths, `(group)` folders included. */
interface Segment<State> {
  readonly middlewares: Middleware<State>[];
  readonly children: Map<string, Segment<State>>;
  app: PageComponent<never, never> | null;
  layout: { component: PageComponent<never, never>; config: RouteConfig } | null;
  error: Middleware<State> | null;
}

/** A registered route: its handler and the frame of its page. */
export interface Endpoint<State> {
  readonly handle: Handler<State>;
  readonly internals: ContextInternals;
}

/** An app while its registrations are replayed. */
export interface Building<State> {
  readonly root: Segment<State>;
  readonly router: Router<Endpoint<State>>;
  readonly config: FreshConfig;
  readonly cache: BuildCache | null;
}

/** A segment without registrations. */
export function emptySegment<State>(): Segment<State> {
  return { middlewares: [], children: new Map(), app: null, layout: null, error: null };
}

/** The segments of a path, from the root to the last; missing ones are made. */
export function segmentsOf<State>(root: Segment<State>, path: string): Segment<State>[] {
  const segments = [root];
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent = segments.at(-1) ?? root;
    const child = parent.children.get(name) ?? emptySegment<State>();
    parent.children.set(name, child);
    segments.push(child);
  }
  return segments;
}

/** The frame of pages below these segments, as registered so far. */
export function frameOf<State>(segments: readonly Segment<State>[]): Frame {
  return {
    app: segments[0]?.app ?? null,
    layouts: segments.flatMap(({ layout }) => layout === null ? [] : [layout]),
  };
}

/**
 * A route inside its segments: their middleware from root to leaf, each segment's inside its error page, which handles
 * what is thrown below. Later registrations do not affect the result.
 */
export function composeSegments<State>(
  segments: readonly Segment<State>[],
  route: Handler<State>,
): Handler<State> {
  return segments.reduceRight((inner, { middlewares, error }) => {
    const around = middlewares.reduceRight(wrap, inner);
    return error === null ? around : guard(around, error);
  }, route);
}

function wrap<State>(inner: Handler<State>, middleware: Middleware<State>): Handler<State> {
  // Not async: each request passes every layer, and each promise costs it time.
  return function middlewareLayer(ctx) {
    ctx.next = () => inner(ctx);
    try {
      const response = middleware(ctx);
      return response instanceof Promise ? response : Promise.resolve(response);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function guard<State>(inner: Handler<State>, errorPage: Middleware<State>): Handler<State> {
  return async function errorLayer(ctx) {
    try {
      return await inner(ctx);
    } catch (error) {
      logUnexpected(error);
      ctx.error = error;
      return await errorPage(ctx);
    }
  };
}
