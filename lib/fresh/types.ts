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

/** One middleware or several, in the order in which they act. */
export type MaybeLazyMiddleware<State> = Middleware<State> | Middleware<State>[];

/** What a page component gets. */
export interface PageProps<Data = unknown, State = unknown> {
  readonly config: FreshConfig;
  readonly url: URL;
  readonly req: Request;
  readonly params: Record<string, string>;
  readonly route: string | null;
  readonly info: Deno.ServeHandlerInfo;
  readonly error: unknown;
  readonly isPartial: boolean;
  readonly state: State;
  readonly data: Data;
  /** What a layout or the app wrapper is around. */
  readonly Component: ComponentType;
}

/** Settings that an app is made with. */
export interface FreshConfig {
  readonly mode: "development" | "production";
  readonly basePath: string;
}

/** What a route or layout exports as `config`. */
export interface RouteConfig {
  readonly skipInheritedLayouts?: boolean;
  readonly skipAppWrapper?: boolean;
}

/** How `App.listen` and `Builder.listen` listen. */
export type ListenOptions = Partial<Deno.ServeTcpOptions>;

/** The identity functions of `createDefine`. */
export interface Define<State> {
  handlers<Data, Handlers extends RouteHandler<Data, State> = RouteHandler<Data, State>>(
    handlers: Handlers,
  ): Handlers;
  page<Handlers extends RouteHandler<unknown, State> = never, Data = DataOf<Handlers>>(
    render: PageComponent<Data, State>,
  ): PageComponent<Data, State>;
  layout(render: PageComponent<never, State>): PageComponent<never, State>;
  middleware<M extends MaybeLazyMiddleware<State>>(middleware: M): M;
}

/** A page, layout, app wrapper or error page; it may be async and may answer by itself. */
// deno-lint-ignore no-explicit-any -- what a component may give back is preact's own affair
export type PageComponent<Data, State> = (props: PageProps<Data, State>) => any;

/** The data that a route's handlers hand to its page. */
export type DataOf<Handlers> = Handlers extends RouteHandler<infer Data, infer _State> ? Data
  : unknown;
