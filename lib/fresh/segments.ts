/** Segments: what was registered for a path and holds for everything below it. */

import type { Context, Frame } from "./context.ts";
import { HttpError, logUnexpected } from "./error.ts";
import type { Middleware, PageComponent, RouteConfig } from "./types.ts";

/** A composed function around a route. */
export type Handler<State> = (ctx: Context<State>) => Promise<Response>;

/** One folder of the tree of paths, `(group)` folders included. */
export interface Segment<State> {
  readonly middlewares: Middleware<State>[];
  layout: { component: PageComponent<never, never>; config: RouteConfig } | null;
  app: PageComponent<never, never> | null;
  error: Middleware<State> | null;
  notFound: Middleware<State> | null;
  readonly children: Map<string, Segment<State>>;
}

/** An empty root. */
export function rootSegment<State>(): Segment<State> {
  return {
    middlewares: [],
    layout: null,
    app: null,
    error: null,
    notFound: null,
    children: new Map(),
  };
}

/** The segments of a path, from the root to the last; missing ones are made. */
export function segmentsOf<State>(root: Segment<State>, path: string): Segment<State>[] {
  const segments = [root];
  let segment = root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const child = segment.children.get(name) ?? rootSegment<State>();
    segment.children.set(name, child);
    segments.push(child);
    segment = child;
  }
  return segments;
}

/** The segment of a path. */
export function childSegment<State>(root: Segment<State>, path: string): Segment<State> {
  return segmentsOf(root, path).at(-1) ?? root;
}

/** What pages below these segments are rendered in, as it is registered now. */
export function frameOf<State>(segments: readonly Segment<State>[]): Frame {
  return {
    app: segments[0]?.app ?? null,
    layouts: segments.flatMap(({ layout }) => layout === null ? [] : [layout]),
  };
}

/**
 * A route inside its segments: their middlewares from root to leaf, and around each segment's the
 * error route that takes what is thrown below. What is registered later does not reach it.
 */
export function composeSegments<State>(
  segments: readonly Segment<State>[],
  route: Handler<State>,
): Handler<State> {
  const [root] = segments;
  return segments.toReversed().reduce((inner, segment) => {
    const around = segment.middlewares.toReversed().reduce(wrap, inner);
    return segment === root || segment.error !== null ? guard(around, segment, root) : around;
  }, route);
}

function wrap<State>(inner: Handler<State>, middleware: Middleware<State>): Handler<State> {
  return async function middlewareLayer(ctx) {
    ctx.next = () => inner(ctx);
    return await middleware(ctx);
  };
}

function guard<State>(
  inner: Handler<State>,
  { error: own }: Segment<State>,
  root: Segment<State> | undefined,
): Handler<State> {
  return async function errorLayer(ctx) {
    try {
      return await inner(ctx);
    } catch (error) {
      const isNotFound = error instanceof HttpError && error.status === 404;
      const answer = isNotFound && root?.notFound ? root.notFound : own;
      if (answer === null) throw error;
      ctx.error = error;
      logUnexpected(error);
      return await answer(ctx);
    }
  };
}
