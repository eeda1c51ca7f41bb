/** The static files of the build, some of them at immutable addresses. */

import { lookup } from "mrmime";
import { ASSET_KEY } from "./asset.ts";
import { scriptsAddress, type StaticFile } from "./build_cache.ts";
import { Context } from "./context.ts";
import type { Middleware } from "./handler.ts";
import { pathOf } from "./router.ts";

/** Middleware that responds with the static file at the request's path, if there is one. */
export function staticFiles<State>(): Middleware<State> {
  return function serveStaticFile(ctx) {
    const cache = Context.buildOf(ctx);
    const path = pathOf(ctx.req.url);
    const file = cache?.staticFiles.get(path);
    return cache === null || file === undefined
      ? ctx.next()
      : answer(ctx, file, path, cache.buildId);
  };
}

async function answer<State>(
  ctx: Context<State>,
  file: StaticFile,
  path: string,
  buildId: string,
): Promise<Response> {
  const { method, headers: asked } = ctx.req;
  if (method !== "GET" && method !== "HEAD") {
    return new Response("Method Not Allowed", { status: 405 });
  }
  const key = ctx.url.searchParams.get(ASSET_KEY);
  if (key !== null && key !== buildId) return ctx.redirect(path, 307);
  const headers = new Headers({ "content-type": contentTypeOf(path) });
  if (file.hash === null) {
    headers.set("cache-control", "no-store");
  } else {
    const etag = `W/"${file.hash}"`;
    const immutable = key !== null || path.startsWith(scriptsAddress(buildId));
    headers.set("etag", etag);
    headers.set("vary", "If-None-Match");
    headers.set("cache-control", immutable ? "public, max-age=31536000, immutable" : "no-cache");
    if (asked.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  }
  const bytes = await file.read();
  headers.set("content-length", String(bytes.length));
  // The app removes the body from the response to HEAD.
  return new Response(bytes, { headers });
}

function contentTypeOf(path: string): string {
  const type = lookup(path) ?? "text/plain";
  return /^text\/|javascript|json/.test(type) ? `${type}; charset=UTF-8` : type;
}
