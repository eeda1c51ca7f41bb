import { type Context, type Middleware, staticFiles } from "fresh";
import {
  chooseEncoding,
  createRepresentation,
  methodNotAllowed,
  type Representation,
  setHeaders,
} from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";

const TEXT = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg\+xml)/;

/**
 * Serves static files, compressed. A path with a route is never served as a file: the files of `static/docs` are
 * sources of pages.
 */
export function serveFiles(): Middleware<State> {
  const serveFile = staticFiles<State>();
  const compressFile = createFileCompressor();
  return function serveFiles(ctx) {
    return ctx.route === null ? serve(ctx) : ctx.next();
  };

  async function serve(ctx: Context<State>): Promise<Response> {
    const response = await serveFile(ctx);
    // The framework's 405 has no `Allow`.
    if (response.status === 405 && !response.headers.has("allow")) {
      await response.body?.cancel();
      throw methodNotAllowed(ctx.req.method, "GET, HEAD");
    }
    return await compressFile(ctx.req, response);
  }
}

/**
 * Makes the function that compresses text files. Each file is compressed once per requested encoding, so the number
 * of files bounds the memory used. Other responses, and those without an entity tag, are unchanged.
 */
export function createFileCompressor(): (
  request: Request,
  response: Response,
) => Promise<Response> {
  const kept = new Map<string, Representation>();

  return async function compressFile({ headers: asked }, response) {
    const { status, headers } = response;
    const contentType = headers.get("content-type") ?? "";
    const etag = headers.get("etag");
    if (etag === null || !TEXT.test(contentType)) return response;
    headers.append("vary", "accept-encoding");
    const encoding = chooseEncoding(asked.get("accept-encoding"));
    if (status !== 200 || response.body === null || encoding === "identity") return response;
    const known = kept.get(etag) ??
      createRepresentation({ contentType, etag, bytes: await response.bytes() });
    kept.set(etag, known);
    const compressed = (await known.prepared(encoding)).clone();
    headers.delete("content-length");
    setHeaders(compressed, Object.fromEntries(headers));
    return compressed;
  };
}
