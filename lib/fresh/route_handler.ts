/** One function for each route, made from its exports: handlers by method, pages. */

import { type ComponentType, h } from "preact";
import { type Context, requestProps } from "./context.ts";
import { HttpError } from "./error.ts";
import {
  type Handler,
  type HandlerFn,
  type Method,
  METHODS,
  type RouteHandler,
} from "./handler.ts";
import type { PageComponent, RouteConfig } from "./types.ts";

/** The exports of a route's file. */
export interface RouteModule<State> {
  readonly handlers?: RouteHandler<unknown, State>;
  readonly handler?: RouteHandler<unknown, State>;
  readonly default?: PageComponent<unknown, State>;
  readonly config?: RouteConfig;
}

/**
 * The function that runs a route's handler and renders its page.
 *
 * @param defaultStatus the status of a page whose handler sets none.
 */
export function routeHandler<State>(
  { handlers, handler, default: component, config }: RouteModule<State>,
  defaultStatus: (ctx: Context<State>) => number = () => 200,
): Handler<State> {
  const exported = handlers ?? handler ?? {};
  const handle = typeof exported === "function" ? exported : byMethod(exported, component);
  return async function handleRoute(ctx) {
    const result = await handle(ctx);
    if (result instanceof Response) return result;
    if (typeof result !== "object" || result === null || !("data" in result)) {
      throw new Error(`The handler of ${ctx.route} returned neither a Response nor a page`);
    }
    const init: ResponseInit = { status: result.status ?? defaultStatus(ctx) };
    if (result.headers !== undefined) init.headers = result.headers;
    if (component === undefined) return await ctx.render(null, init, config);
    // Upstream defines a page's props; preact's types know only its own.
    const props = { ...requestProps(ctx), data: result.data } as never;
    // An async component is called here; its result is rendered unless it is a response.
    const page = component.constructor.name === "AsyncFunction"
      ? await component(props)
      : h(component as ComponentType, props);
    return page instanceof Response ? page : await ctx.render(page, init, config);
  };
}

/** One handler for all methods: HEAD as GET, OPTIONS with the allowed ones, else 405. */
function byMethod<State>(
  handlers: { [M in Method]?: HandlerFn<unknown, State> },
  component: unknown,
): HandlerFn<unknown, State> {
  const get = handlers.GET ?? (component === undefined ? undefined : () => ({ data: {} }));
  const all = { HEAD: get, ...handlers, GET: get };
  const methods = METHODS.filter((method) => method === "OPTIONS" || all[method] !== undefined);
  const allow = methods.join(", ");
  const options = () => new Response(null, { status: 204, headers: { allow } });
  const known = new Map(Object.entries({ OPTIONS: options, ...all }));
  return function handleMethod(ctx) {
    const handle = known.get(ctx.req.method);
    if (handle === undefined) throw new HttpError(405);
    return handle(ctx);
  };
}
