/** `page()` and `createDefine()`: values that carry their types. */

import type { Middleware, RouteHandler } from "./handler.ts";
import type { PageComponent, PageResponse } from "./types.ts";

/** The answer of a handler whose page component shall be rendered with `data`. */
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
