/** Types of handlers and middleware, with upstream Fresh's names and shapes. */

import type { Context } from "./context.ts";
import type { PageResponse } from "./types.ts";

/** The methods that a route may handle. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
/** One of {@linkcode METHODS}. */
export type Method = typeof METHODS[number];

/** A handler of one or all methods. */
export type HandlerFn<Data, State> = (
  ctx: Context<State>,
) => Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;

/** Handlers by method. */
export type HandlerByMethod<Data, State> = { [M in Method]?: HandlerFn<Data, State> };

/** A route's export `handler` or `handlers`. */
export type RouteHandler<Data, State> = HandlerFn<Data, State> | HandlerByMethod<Data, State>;

/** A function around the rest of a request, which `ctx.next()` runs. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** A composed function around a route. */
export type Handler<State> = (ctx: Context<State>) => Promise<Response>;
