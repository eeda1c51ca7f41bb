/** `page()` and `createDefine()`, which give types to values. */

import type { Middleware, RouteHandler } from "./handler.ts";
import type { PageComponent, PageResponse } from "./types.ts";

/** The result of a handler that renders the page component with `data`. */
export function page<Data>(
  data?: Data,
  options?: { status?: number; headers?: HeadersInit },
): PageResponse<Data> {
  // Without an argument, Data is undefined.
  return { data: data as Data, ...options };
}

/** Functions that return their argument, typed for an app's state. */
export function createDefine<State>() {
  return {
    handlers: <H extends RouteHandler<unknown, State>>(handlers: H): H => handlers,
    page: <Data>(render: PageComponent<Data, State>) => render,
    layout: (render: PageComponent<never, State>) => render,
    middleware: <M extends Middleware<State> | Middleware<State>[]>(middleware: M): M => middleware,
  };
}
