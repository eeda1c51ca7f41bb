/** The context of a request: what handlers and middleware get. */

import { isValidElement, type VNode } from "preact";
import type { BuildCache } from "./build_cache.ts";
import { renderPage } from "./render.ts";
import type { FreshConfig, PageComponent, RouteConfig } from "./types.ts";

/** What a route is rendered in; from root to leaf. */
export interface Frame {
  // Components of any data: which data a layout or wrapper gets is upstream's affair (none).
  readonly app: PageComponent<never, never> | null;
  readonly layouts: readonly { component: PageComponent<never, never>; config: RouteConfig }[];
}

/** What the runtime knows of a request besides what handlers see. */
export interface ContextInternals {
  readonly frame: Frame;
  readonly cache: BuildCache | null;
}

/** One request's context. `State` is the app's own; it begins as an empty object. */
export class Context<State> {
  readonly config: FreshConfig;
  req: Request;
  readonly info: Deno.ServeHandlerInfo;
  readonly params: Record<string, string>;
  /** The pattern that the path belongs to, or null. */
  readonly route: string | null;
  readonly isPartial = false;
  // The app's type says what its middleware puts into the state before anything reads it.
  state: State = {} as State;
  error: unknown = null;
  /** What lies below this middleware; rejects with what was thrown there. */
  next: () => Promise<Response> = noNext;
  #internals: ContextInternals;
  #url: URL | undefined;

  constructor(
    config: FreshConfig,
    req: Request,
    info: Deno.ServeHandlerInfo,
    params: Record<string, string>,
    route: string | null,
    internals: ContextInternals,
  ) {
    this.config = config;
    this.req = req;
    this.info = info;
    this.params = params;
    this.route = route;
    this.#internals = internals;
  }

  /** The build that serves a request; for the runtime's own middleware. */
  static buildOf(ctx: Context<never>): BuildCache | null {
    return ctx.#internals.cache;
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
    let location = to;
    if (to.startsWith("/")) {
      const end = to.search(/[?#]/);
      const path = end === -1 ? to : to.slice(0, end);
      location = path.replace(/\/\/+/g, "/") + to.slice(path.length);
    }
    return new Response(null, { status, headers: { location } });
  }

  /** A text answer. */
  text(content: string, init?: ResponseInit): Response {
    return new Response(content, init);
  }

  /** An HTML answer from a finished document. */
  html(content: string, init?: ResponseInit): Response {
    const headers = new Headers(init?.headers);
    headers.set("content-type", "text/html; charset=utf-8");
    return new Response(content, { ...init, headers });
  }

  /** A JSON answer. */
  json(content: unknown, init?: ResponseInit): Response {
    return Response.json(content, init);
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
    if (vnode !== null && !isValidElement(vnode)) {
      throw new Error("ctx.render() renders an element or null");
    }
    const { frame, cache } = this.#internals;
    const html = await renderPage(this, vnode, frame, cache, config);
    if (html instanceof Response) return html;
    const headers = new Headers(init.headers);
    headers.set("content-type", "text/html; charset=utf-8");
    return new Response(html, { status: init.status ?? 200, headers });
  }
}

function noNext(): Promise<Response> {
  throw new Error("ctx.next() was called where nothing lies below");
}
