/** The app: its middleware, the routes of its build, and the handler that they make. */

import { pathOf } from "../address.ts";
import { type Build, NO_BUILD } from "./build.ts";
import { Context, type Middleware } from "./context.ts";
import { Router } from "./router.ts";

/** An error with the status of a response. Without a message, `message` is "" as in upstream. */
export class HttpError extends Error {
  override name = "HttpError";

  /** @param status an HTTP status from 400 on. */
  constructor(readonly status: number, message = "") {
    super(message);
  }
}

/** A Fresh app. */
export class App<State> {
  readonly #middlewares: Middleware<State>[] = [];
  /** The build that it serves; `attachBuild` sets it before the handler is made. */
  build: Build = NO_BUILD;

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
   * The function that answers requests. It throws what no middleware has caught.
   *
   * @throws {Error} if the build has a route file of a kind that this runtime does not know.
   */
  handler(): (
    request: Request,
    info?: Deno.ServeHandlerInfo,
  ) => Response | Promise<Response> {
    const { build } = this;
    const stepsTo = (route: Middleware<State>) => [...this.#middlewares, route];
    const router = new Router(build.routes, (handler) => stepsTo(handler as Middleware<State>));
    const nowhere = {
      params: {},
      pattern: null,
      handler: stepsTo(() => {
        throw new HttpError(404);
      }),
    };
    return function answer(request, info) {
      const { params, pattern, handler: steps } = router.match(pathOf(request.url)) ?? nowhere;
      // As upstream has it: without information about the connection, the type of the context is wrong.
      const given = info as Deno.ServeHandlerInfo;
      return new Context<State>(request, given, params, pattern, build, steps).next();
    };
  }
}
