/** The types that an app sees; names and shapes are upstream Fresh's. */

import type { ComponentType } from "preact";
import type { Context } from "./context.ts";

/** The methods that a route may handle. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
/** One of {@linkcode METHODS}. */
export type Method = typeof METHODS[number];

/** What a handler gives to its page component. */
export interface PageResponse<Data> {
  readonly data: Data;
  readonly status?: number | undefined;
  readonly headers?: HeadersInit | undefined;
}

/** A handler of one or all methods. */
export type HandlerFn<Data, State> = (
  ctx: Context<State>,
) => Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;

/** Handlers by method. */
export type HandlerByMethod<Data, State> = { [M in Method]?: HandlerFn<Data, State> };

/** What a route exports as `handler` (or `handlers`). */
export type RouteHandler<Data, State> = HandlerFn<Data, State> | HandlerByMethod<Data, State>;

/** A function around everything below it; `ctx.next()` is what lies below. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** What a page component gets; `Component` is what a layout or the app wrapper is around. */
export type PageProps<Data = unknown, State = unknown> =
  & Pick<
    Context<State>,
    "config" | "url" | "req" | "params" | "route" | "info" | "error" | "isPartial" | "state"
  >
  & { readonly data: Data; readonly Component: ComponentType };

/** A page, layout, app wrapper or error page; it may be async and may answer by itself. */
// deno-lint-ignore no-explicit-any -- what a component may give back is preact's own affair
export type PageComponent<Data, State> = (props: PageProps<Data, State>) => any;

/** Settings of an app. */
export interface FreshConfig {
  readonly mode: "development" | "production";
  readonly basePath: string;
}

/** What a route or layout exports as `config`. */
export interface RouteConfig {
  readonly skipInheritedLayouts?: boolean;
  readonly skipAppWrapper?: boolean;
}
