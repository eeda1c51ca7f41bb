/** From what a route exports to one function per request: handlers by method, pages, errors. */

import { type ComponentType, h } from "preact";
import type { Context } from "./context.ts";
import { HttpError } from "./error.ts";
import type { Handler } from "./segments.ts";
import {
  type HandlerFn,
  type Method,
  METHODS,
  type PageComponent,
  type PageResponse,
  type RouteConfig,
  type RouteHandler,
} from "./types.ts";

/**
 * The function that runs a route's handler and renders its page.
 *
 * @param fixedStatus the status of an error page whose handler sets none.
 */
export function routeHandler<State>(
  handlers: RouteHandler<unknown, State> | null,
  component: PageComponent<unknown, State> | null,
  config: RouteConfig,
  fixedStatus?: (ctx: Context<State>) => number,
): Handler<State> {
  return async function handleRoute(ctx) {
    const handle = handlerOf(handlers, component, ctx.req.method);
    const result = handle === null ? { data: {} } : await handle(ctx);
    if (result instanceof Response) return result;
    if (typeof result !== "object" || result === null || !("data" in result)) {
      throw new Error(`The handler of ${ctx.route} gave neither a Response nor a page`);
    }
    return await renderResult(ctx, result, component, config, fixedStatus?.(ctx));
  };
}

/** The methods that an object of handlers answers, HEAD with GET, OPTIONS always. */
export function allowedMethods<State>(
  handlers: RouteHandler<unknown, State> | null,
  component: unknown,
): Method[] {
  if (typeof handlers === "function") return [...METHODS];
  const get = component !== null || handlers?.GET !== undefined;
  return METHODS.filter((method) =>
    handlers?.[method] !== undefined || method === "OPTIONS" ||
    (get && (method === "GET" || method === "HEAD"))
  );
}

function handlerOf<State>(
  handlers: RouteHandler<unknown, State> | null,
  component: unknown,
  method: string,
): HandlerFn<unknown, State> | null {
  if (typeof handlers === "function") return handlers;
  // A name that is no method is not in the object, so the cast finds nothing.
  const own = handlers?.[method as Method] ?? (method === "HEAD" ? handlers?.GET : undefined);
  if (own !== undefined) return own;
  if (component !== null && (method === "GET" || method === "HEAD")) return null;
  const allow = allowedMethods(handlers, component).join(", ");
  if (method === "OPTIONS") return () => new Response(null, { status: 204, headers: { allow } });
  throw new HttpError(405);
}

async function renderResult<State>(
  ctx: Context<State>,
  { data, status, headers }: PageResponse<unknown>,
  component: PageComponent<unknown, State> | null,
  config: RouteConfig,
  fixedStatus: number | undefined,
): Promise<Response> {
  const init: ResponseInit = { status: status ?? fixedStatus ?? 200 };
  if (headers !== undefined) init.headers = headers;
  if (component === null) return await ctx.render(null, init, config);
  // What a page gets is upstream's affair; preact's types want to know its own props only.
  const props = { ...pageProps(ctx), data } as never;
  // An async component is called here: what it gives back is rendered, unless it is an answer.
  if (component.constructor.name === "AsyncFunction") {
    const result = await component(props);
    return result instanceof Response ? result : await ctx.render(result, init, config);
  }
  return await ctx.render(h(component as ComponentType, props), init, config);
}

/** The props that every component of a page gets from the request. */
export function pageProps<State>(ctx: Context<State>) {
  const { config, url, req, params, route, info, error, isPartial, state } = ctx;
  return { config, url, req, params, route, info, error, isPartial, state };
}
