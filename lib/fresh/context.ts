/** The context of a request, which handlers and middleware get. */

import { isValidElement, type VNode } from "preact";
import type { BuildCache } from "./build_cache.ts";
import { type Frame, renderPage } from "./render.ts";
import type { FreshConfig, RequestProps, RouteConfig } from "./types.ts";

/** The parts of a request's route that handlers do not see. */
export interface ContextInternals {
  readonly config: FreshConfig;
  readonly frame: Frame;
  readonly cache: BuildCache | null;
}

/** One request's context. `State` is the app's own; it begins as an empty object. */
export class Context<State> {
  readonly isPartial = false;
  // The app's middleware fills the state before anything reads it.
  state: State = {} as State;
  error: unknown = null;
  /** Runs the next middleware or the route; rejects with what it throws. */
  next: () => Promise<Response> = () => Promise.reject(new Error("ctx.next() has nothing to call"));
  readonly #internals: ContextInternals;
  #url: URL | undefined;

  /** @param route the pattern that matches the path, or null. */
  constructor(
    public req: Request,
    readonly info: Deno.ServeHandlerInfo,
    readonly params: Record<string, string>,
    readonly route: string | null,
    internals: ContextInternals,
  ) {
    this.#internals = internals;
  }

  /** The build that serves a request; for the runtime's own middleware. */
  static buildOf<State>(ctx: Context<State>): BuildCache | null {
    return ctx.#internals.cache;
  }

  /** The settings of the app. */
  get config(): FreshConfig {
    return this.#internals.config;
  }

  /** The request's address, slash runs in its path collapsed. Parsed when first read. */
  get url(): URL {
    if (this.#url === undefined) {
      this.#url = new URL(this.req.url);
      this.#url.pathname = this.#url.pathname.replace(/\/\/+/g, "/");
    }
    return this.#url;
  }

  /** Redirects; slash runs in the path of a local address collapse, so none leads to another host. */
  redirect(to: string, status = 302): Response {
    const [path = ""] = /^[^?#]*/.exec(to) ?? [];
    const location = to.startsWith("/") ? path.replace(/\/\/+/g, "/") + to.slice(path.length) : to;
    return new Response(null, { status, headers: { location } });
  }

  /**
   * Renders a page in the layouts and the app wrapper of the route.
   *
   * @throws {Error} if `vnode` is neither an element nor null.
   */
  async render(
    vnode: VNode | null,
    init: ResponseInit = {},
    config: RouteConfig = {},
  ): Promise<Response> {
    if (vnode !== null && !isValidElement(vnode)) throw new Error("ctx.render() takes an element");
    const { frame, cache } = this.#internals;
    const html = await renderPage(() => requestProps(this), vnode, frame, cache, config);
    if (html instanceof Response) return html;
    const headers = new Headers(init.headers);
    headers.set("content-type", "text/html; charset=utf-8");
    return new Response(html, { ...init, headers });
  }
}

/** The properties of a request for every component of a page. */
export function requestProps<State>(ctx: Context<State>): RequestProps<State> {
  const { config, url, req, params, route, info, error, isPartial, state } = ctx;
  return { config, url, req, params, route, info, error, isPartial, state };
}
