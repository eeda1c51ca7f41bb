/** The static files of the build: their bytes and their types. */

import { lookup } from "mrmime";
import { pathOf } from "../address.ts";
import { Context, type Middleware } from "./context.ts";

/** Middleware that responds with the static file at the request's path, if there is one. */
export function staticFiles<State>(): Middleware<State> {
  return async function serveStaticFile(ctx) {
    const path = pathOf(ctx.req.url);
    const read = Context.buildOf(ctx).staticFiles.get(path);
    if (read === undefined) return await ctx.next();
    const type = lookup(path) ?? "text/plain";
    const charset = /^text\/|javascript|json/.test(type) ? "; charset=UTF-8" : "";
    return new Response(await read(), { headers: { "content-type": type + charset } });
  };
}
