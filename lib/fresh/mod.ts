/**
 * The subset of Fresh 2's public API that Foyer uses, for places where upstream Fresh is not available.
 * The app imports it as `fresh`; with `deno.jsr.json` the same app runs on upstream.
 */

export { App } from "./app.ts";
export type { Context } from "./context.ts";
export { createDefine, page } from "./define.ts";
export { HttpError } from "./error.ts";
export type { HandlerByMethod, HandlerFn, Method, Middleware, RouteHandler } from "./handler.ts";
export { staticFiles } from "./static_files.ts";
export type { FreshConfig, PageProps, PageResponse, RouteConfig } from "./types.ts";
