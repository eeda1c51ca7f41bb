/** The app: its middleware, the routes of its build, and the handler that they make. */

import { attachBuild, type BuildCache } from "./build_cache.ts";
import { Context, type Handler, type Middleware } from "./context.ts";
import { defaultErrorResponse, HttpError } from "./error.ts";
import { pathOf, Router } from "./router.ts";

const NO_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  completed: Promise.resolve(),
};

/** A Fresh app. */
export class App<State> {
  readonly #middlewares: Middleware<State>[] = [];
  #hasRoutes = false;
  #cache: BuildCache | null = null;

  /** Adds middleware for all requests, in the order in which they pass it. */
  use(...middlewares: Middleware<State>[]): this {
    if (this.#hasRoutes) throw new Error("Routes would not have the middleware that follows them");
    this.#middlewares.push(...middlewares);
    return this;
  }

  /** Adds the routes of the routes folder, as the build found them. */
  fsRoutes(): this {
    this.#hasRoutes = true;
    return this;
  }

  /** Hands a build to the app; the generated server and the `Builder` call it. */
  [attachBuild](cache: BuildCache): void {
    this.#cache = cache;
  }

  /**
   * The function that answers requests.
   *
   * @throws {Error} if the build has a route file of a kind that this runtime does not know.
   */
  handler(): (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const cache = this.#cache;
    const inside = (route: Middleware<State>) =>
      this.#middlewares.reduceRight(wrap, promised(route));
    const routes = this.#hasRoutes ? cache?.routes ?? [] : [];
    const router = new Router(routes, (handler) => inside(handler as Middleware<State>));
    const nowhere = inside(() => Promise.reject(new HttpError(404)));

    return async function answer(request, info = NO_INFO) {
      const match = router.match(pathOf(request.url));
      const ctx = new Context<State>(
        request,
        info,
        match?.params ?? {},
        match?.pattern ?? null,
        cache,
      );
      try {
        return await (match?.handler ?? nowhere)(ctx);
      } catch (error) {
        return defaultErrorResponse(error);
      }
    };
  }
}

function promised<State>(route: Middleware<State>): Handler<State> {
  return async function handleRoute(ctx) {
    return await route(ctx);
  };
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
