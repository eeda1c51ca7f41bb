/** The static files of the build: their bytes and their types. */

import { lookup } from "mrmime";
import { Context, type Middleware } from "./context.ts";
import { pathOf } from "./router.ts";

/** Middleware that responds with the static file at the request's path, if there is one. */
export function staticFiles<State>(): Middleware<State> {
  return async function serveStaticFile(ctx) {
    const path = pathOf(ctx.req.url);
    const read = Context.buildOf(ctx)?.staticFiles.get(path);
    if (read === undefined) return await ctx.next();
    return new Response(await read(), { headers: { "content-type": contentTypeOf(path) } });
  };
}

function contentTypeOf(path: string): string {
  const type = lookup(path) ?? "text/plain";
  return /^text\/|javascript|json/.test(type) ? `${type}; charset=UTF-8` : type;
}
