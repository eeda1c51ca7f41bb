/** The app: its registrations in order, and the handler that they make. */

import { attachBuild, type BuildCache } from "./build_cache.ts";
import { Context } from "./context.ts";
import { defaultErrorResponse, HttpError, logUnexpected } from "./error.ts";
import { registerRouteFiles } from "./fs_routes.ts";
import type { Middleware } from "./handler.ts";
import { pathOf, Router } from "./router.ts";
import {
  type Building,
  composeSegments,
  emptySegment,
  type Endpoint,
  frameOf,
} from "./segments.ts";
import type { FreshConfig } from "./types.ts";

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));
const NO_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  completed: Promise.resolve(),
};

/** A Fresh app. Registrations are replayed in order: a route has the middleware registered before it. */
export class App<State> {
  readonly #commands: ((building: Building<State>) => void)[] = [];
  #cache: BuildCache | null = null;

  /** Adds middleware for all requests, in the order in which they pass it. */
  use(...middlewares: Middleware<State>[]): this {
    this.#commands.push(({ root }) => root.middlewares.push(...middlewares));
    return this;
  }

  /** Adds the routes of the routes folder, as the build found them. */
  fsRoutes(): this {
    this.#commands.push(registerRouteFiles);
    return this;
  }

  /** Hands a build to the app; the generated server and the `Builder` call it. */
  [attachBuild](cache: BuildCache): void {
    this.#cache = cache;
  }

  /** The function that answers requests. */
  handler(): (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const cache = this.#cache;
    const config: FreshConfig = { mode: cache?.mode ?? "production", basePath: "" };
    const root = emptySegment<State>();
    const router = new Router<Endpoint<State>>();
    for (const command of this.#commands) command({ root, router, config, cache });
    // A path without a route passes the root's middleware, and is then not found.
    const nowhere: Endpoint<State> = {
      handle: composeSegments([root], () => Promise.reject(new HttpError(404))),
      internals: { config, cache, frame: frameOf([root]) },
    };

    return async function answer(request, info = NO_INFO) {
      const match = router.match(pathOf(request.url));
      const { handle, internals } = match === null ? nowhere : match.endpoint;
      const ctx = new Context<State>(
        request,
        info,
        match === null ? NO_PARAMS : match.params,
        match === null ? null : match.pattern,
        internals,
      );
      try {
        const response = await handle(ctx);
        if (request.method !== "HEAD" || response.body === null) return response;
        return new Response(null, { status: response.status, headers: response.headers });
      } catch (error) {
        logUnexpected(error);
        return defaultErrorResponse(error);
      }
    };
  }
}
