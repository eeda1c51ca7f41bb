/** The app: what was registered, in order, and the handler that it makes. */

import { attachBuild, type BuildCache } from "./build_cache.ts";
import { Context, type ContextInternals } from "./context.ts";
import { defaultErrorResponse, HttpError, logUnexpected } from "./error.ts";
import { registerRouteFiles } from "./fs_routes.ts";
import { pathOf, Router } from "./router.ts";
import { routeHandler } from "./route_handler.ts";
import {
  childSegment,
  composeSegments,
  frameOf,
  type Handler,
  rootSegment,
  type Segment,
} from "./segments.ts";
import {
  type FreshConfig,
  type ListenOptions,
  type Method,
  METHODS,
  type Middleware,
  type RouteHandler,
} from "./types.ts";

/** A registered route: how it is handled and what it is rendered in. */
export interface Endpoint<State> {
  readonly handle: Handler<State>;
  readonly internals: ContextInternals;
}

/** What a registration does when the handler is made. */
type Command<State> = (building: Building<State>) => void;

/** An app while its registrations are replayed. */
export interface Building<State> {
  readonly root: Segment<State>;
  readonly router: Router<Endpoint<State>>;
  readonly cache: BuildCache | null;
}

/** A Fresh app. Registrations replay in order: a route captures what was registered before it. */
export class App<State> {
  readonly config: FreshConfig = { mode: "production", basePath: "" };
  #commands: Command<State>[] = [];
  #cache: BuildCache | null = null;

  /** Middleware for everything, or for a path and what lies below it. */
  use(...args: [string | Middleware<State>, ...Middleware<State>[]]): this {
    const [first, ...rest] = args;
    const path = typeof first === "string" ? first : "/";
    const middlewares = typeof first === "string" ? rest : [first, ...rest];
    return this.#add(({ root }) => childSegment(root, path).middlewares.push(...middlewares));
  }

  /** What handles GET (and HEAD) at a path. */
  get(path: string, handler: Middleware<State>): this {
    return this.#route(["GET"], path, handler);
  }

  /** What handles POST at a path. */
  post(path: string, handler: Middleware<State>): this {
    return this.#route(["POST"], path, handler);
  }

  /** What handles every method at a path. */
  all(path: string, handler: Middleware<State>): this {
    return this.#route(METHODS, path, handler);
  }

  /** What answers errors that no error route took. */
  onError(path: string, handler: Middleware<State>): this {
    return this.#add(({ root }) => childSegment(root, path).error = handler);
  }

  /** What answers when no route matches. */
  notFound(handler: Middleware<State>): this {
    return this.#add(({ root }) => root.notFound = handler);
  }

  /** The routes of the routes folder, as the build found them. */
  fsRoutes(): this {
    return this.#add((building) => registerRouteFiles(building));
  }

  /** Hands a build to the app; the generated server and the `Builder` call it. */
  [attachBuild](cache: BuildCache): void {
    this.#cache = cache;
    Object.assign(this.config, { mode: cache.mode });
  }

  /** The function that answers requests. */
  handler(): (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const { config } = this;
    const cache = this.#cache;
    const root = rootSegment<State>();
    const router = new Router<Endpoint<State>>();
    for (const command of this.#commands) command({ root, router, cache });

    const internals: ContextInternals = { frame: frameOf([root]), cache };
    const refuse = (error: () => HttpError) => ({
      handle: composeSegments([root], () => Promise.reject(error())),
      internals,
    });
    const notFound = refuse(() => new HttpError(404));
    const notAllowed = refuse(() => new HttpError(405));

    return async function answer(request, info = NO_INFO) {
      const match = router.match(pathOf(request.url));
      // An unknown method is not in the map, so the cast cannot give it a handler.
      const method = request.method as Method;
      const methods = match?.route.methods;
      const endpoint = methods === undefined
        ? notFound
        : methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined) ?? notAllowed;
      const route = match?.route.pattern.text ?? null;
      const ctx = new Context<State>(
        config,
        request,
        info,
        match?.params ?? NO_PARAMS,
        route,
        endpoint.internals,
      );
      try {
        const response = await endpoint.handle(ctx);
        return method === "HEAD" && response.body !== null ? withoutBody(response) : response;
      } catch (error) {
        logUnexpected(error);
        return defaultErrorResponse(error);
      }
    };
  }

  /** Listens with `Deno.serve`; resolves once listening. */
  listen(options: ListenOptions = {}): Promise<Deno.HttpServer<Deno.NetAddr>> {
    const { promise, resolve } = Promise.withResolvers<Deno.HttpServer<Deno.NetAddr>>();
    const server = Deno.serve({
      ...options,
      onListen: (address) => {
        options.onListen?.(address);
        queueMicrotask(() => resolve(server));
      },
    }, this.handler());
    return promise;
  }

  #add(command: Command<State>): this {
    this.#commands.push(command);
    return this;
  }

  #route(methods: readonly Method[], path: string, handler: RouteHandler<unknown, State>): this {
    return this.#add(({ root, router, cache }) => {
      const handle = composeSegments([root], routeHandler(handler, null, {}));
      const endpoint = { handle, internals: { frame: frameOf([root]), cache } };
      for (const method of methods) router.add(method, path, endpoint);
    });
  }
}

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));
const NO_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  completed: Promise.resolve(),
};

function withoutBody(response: Response): Response {
  return new Response(null, { status: response.status, headers: response.headers });
}
