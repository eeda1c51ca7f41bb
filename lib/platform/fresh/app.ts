/** The app: its middleware, the routes of its build, and the handler that they make. */

import { STATUS_CODES } from "node:http";
import { pathOf } from "../address.ts";
import { buildOf } from "./build.ts";
import { Context, type Middleware } from "./context.ts";
import { Router } from "./router.ts";

/** An error that sets the status of the response. Without a message, `message` is "" as in upstream. */
export class HttpError extends Error {
  override name = "HttpError";

  /** @param status an HTTP status from 400 on. */
  constructor(readonly status: number, message = "") {
    super(message);
  }
}

const NO_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  completed: Promise.resolve(),
};

/** A composed function around a route. */
type Handler<State> = (ctx: Context<State>) => Promise<Response>;

/** A Fresh app. */
export class App<State> {
  readonly #middlewares: Middleware<State>[] = [];

  /** Adds middleware for all requests, in the order in which they pass it. */
  use(...middlewares: Middleware<State>[]): this {
    this.#middlewares.push(...middlewares);
    return this;
  }

  /** Ends the middleware: upstream adds the routes of its build here. This runtime always has them. */
  fsRoutes(): this {
    return this;
  }

  /**
   * The function that answers requests.
   *
   * @throws {Error} if the build has a route file of a kind that this runtime does not know.
   */
  handler(): (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const build = buildOf(this);
    const inside = (route: Middleware<State>) =>
      this.#middlewares.reduceRight<Handler<State>>(wrap, (ctx) => call(route, ctx));
    const router = new Router(build.routes, (handler) => inside(handler as Middleware<State>));
    const failing = (error: unknown) => ({
      params: {},
      pattern: null,
      handler: inside(() => Promise.reject(error)),
    });
    const nowhere = failing(new HttpError(404));

    /** The route of an address; for one that cannot be matched, a handler that gives the error to the middleware. */
    function find(url: string) {
      try {
        return router.match(pathOf(url)) ?? nowhere;
      } catch (error) {
        return failing(error);
      }
    }

    return function answer(request, info = NO_INFO) {
      const { params, pattern, handler } = find(request.url);
      const ctx = new Context<State>(request, info, params, pattern, build);
      return handler(ctx).catch(defaultErrorResponse);
    };
  }
}

function wrap<State>(inner: Handler<State>, middleware: Middleware<State>): Handler<State> {
  return function middlewareLayer(ctx) {
    ctx.next = () => inner(ctx);
    return call(middleware, ctx);
  };
}

/** Calls a layer. Not async: each request passes every layer, and each promise costs it time. */
function call<State>(layer: Middleware<State>, ctx: Context<State>): Promise<Response> {
  try {
    const response = layer(ctx);
    return response instanceof Promise ? response : Promise.resolve(response);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The response to an error that no middleware has handled; it reveals nothing of an unexpected one, which is logged. */
function defaultErrorResponse(error: unknown): Response {
  // deno-lint-ignore no-console -- the framework's log is the console
  if (!(error instanceof HttpError) || error.status >= 500) console.error(error);
  if (!(error instanceof HttpError)) return new Response("Internal server error", { status: 500 });
  return new Response(error.message || STATUS_CODES[error.status], { status: error.status });
}
