/** Static files: those of the build, with addresses that may be immutable. */

import { ASSET_KEY } from "./asset.ts";
import type { BuildCache, StaticFile } from "./build_cache.ts";
import { Context } from "./context.ts";
import { HttpError } from "./error.ts";
import { pathOf } from "./router.ts";
import type { Middleware } from "./types.ts";

/** Middleware that answers with a static file where one has the request's path. */
export function staticFiles<State>(): Middleware<State> {
  return async function serveStaticFile(ctx) {
    const cache = Context.buildOf(ctx as Context<never>);
    if (cache === null) return await ctx.next();
    const path = pathOf(ctx.req.url);
    const found = cache.staticFile(path);
    const file = found instanceof Promise ? await found : found;
    return file === null ? await ctx.next() : answer(ctx, file, path, cache);
  };
}

function answer<State>(
  ctx: Context<State>,
  file: StaticFile,
  path: string,
  cache: BuildCache,
): Response {
  if (ctx.req.method !== "GET" && ctx.req.method !== "HEAD") throw new HttpError(405);
  const key = ctx.url.searchParams.get(ASSET_KEY);
  if (key !== null && key !== cache.buildId) {
    const plain = new URL(ctx.url);
    plain.searchParams.delete(ASSET_KEY);
    return new Response(null, {
      status: 307,
      headers: { location: `${plain.pathname}${plain.search}` },
    });
  }
  const headers = new Headers({ "content-type": file.contentType });
  if (file.hash === null) {
    headers.set("cache-control", "no-store");
  } else {
    const etag = `W/"${file.hash}"`;
    const immutable = key !== null || path.startsWith(`/_fresh/js/${cache.buildId}/`);
    headers.set("vary", "If-None-Match");
    headers.set("etag", etag);
    headers.set(
      "cache-control",
      immutable
        ? "public, max-age=31536000, immutable"
        : "no-cache, no-store, max-age=0, must-revalidate",
    );
    const known = ctx.req.headers.get("if-none-match");
    if (known === etag || known === file.hash) return new Response(null, { status: 304, headers });
  }
  headers.set("content-length", String(file.bytes.length));
  return new Response(ctx.req.method === "HEAD" ? null : file.bytes, { headers });
}
