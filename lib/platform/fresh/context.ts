/** The context of a request, which handlers and middleware get. */

import type { VNode } from "preact";
import type { Build } from "./build.ts";
import { renderPage } from "./render.ts";

/** A function around the rest of a request, which `ctx.next()` runs. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** One request's context. `State` is the app's own; it begins as an empty object. */
export class Context<State> {
  // The app's middleware fills the state before anything reads it.
  readonly state: State = {} as State;
  /** The place of the next step. */
  #at = 0;

  /**
   * @param route the pattern that matches the path, or null.
   * @param config the build that serves the request. The app reads its `mode` alone, as upstream has it.
   * @param steps the middleware in its order, and the route.
   */
  constructor(
    public req: Request,
    readonly info: Deno.ServeHandlerInfo,
    readonly params: Record<string, string>,
    readonly route: string | null,
    readonly config: Build,
    private readonly steps: readonly Middleware<State>[],
  ) {}

  /**
   * Runs the next middleware or the route. Returns a promise only if one of them does, and throws an error at once. It is
   * no property with a function of its own: V8 would keep each request, with its body, until a full collection.
   */
  next(): Response | Promise<Response> {
    const step = this.steps[this.#at++];
    if (step === undefined) throw new Error("The route is the last step.");
    return step(this);
  }

  /** Redirects; slash runs in the path of a local address collapse, so none leads to another host. */
  redirect(to: string, status = 302): Response {
    const [path = ""] = /^[^?#]*/.exec(to) ?? [];
    const location = to.startsWith("/") ? path.replace(/\/\/+/g, "/") + to.slice(path.length) : to;
    return new Response(null, { status, headers: { location } });
  }

  /** Renders a page in the app wrapper. The second parameter is the status and headers in upstream. */
  async render(
    vnode: VNode,
    _init?: undefined,
    { skipAppWrapper = false }: { readonly skipAppWrapper?: boolean } = {},
  ): Promise<Response> {
    const html = renderPage(vnode, this, this.config, skipAppWrapper);
    const headers = { "content-type": "text/html; charset=utf-8" };
    // Async as in upstream, whose components may be async too.
    return await Promise.resolve(new Response(html, { headers }));
  }
}
