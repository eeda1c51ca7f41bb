import { type Middleware, staticFiles } from "fresh";
import { createFileCompressor, methodNotAllowed } from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";

/**
 * Serves static files, compressed. A path with a route is never a file: those under `static/docs` are the
 * sources of pages.
 */
export function serveFiles(): Middleware<State> {
  const serveFile = staticFiles<State>();
  const compressFile = createFileCompressor();
  return async function serveFiles(ctx) {
    if (ctx.route !== null) return await ctx.next();
    const response = await serveFile(ctx);
    // Upstream's middleware names no methods.
    if (response.status === 405 && !response.headers.has("allow")) {
      await response.body?.cancel();
      throw methodNotAllowed(ctx.req.method, "GET, HEAD");
    }
    return await compressFile(ctx.req, response);
  };
}
