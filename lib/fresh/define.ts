/** `page()` and `createDefine()`: values that carry their types. */

import type { Define, PageResponse } from "./types.ts";

/** The answer of a handler whose page component shall be rendered with `data`. */
export function page<Data>(
  data?: Data,
  options?: { status?: number; headers?: HeadersInit },
): PageResponse<Data> {
  // Without an argument, Data is undefined.
  return { data: data as Data, status: options?.status, headers: options?.headers };
}

/** Functions that return their argument, typed for an app's state. */
export function createDefine<State>(): Define<State> {
  return {
    handlers: (handlers) => handlers,
    page: (render) => render,
    layout: (render) => render,
    middleware: (middleware) => middleware,
  };
}
