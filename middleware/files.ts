import { type Context, type Middleware, staticFiles } from "fresh";
import { asset } from "fresh/runtime";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../lib/platform/http/representation.ts";
import { methodNotAllowed } from "../lib/platform/http/methods.ts";
import { pathOf, searchOf } from "../lib/platform/address.ts";
import type { State } from "../lib/operate/mod.ts";

const TEXT = /^(?:text\/|application\/(?:javascript|json|manifest\+json|xml)|image\/svg\+xml)/;
/** Escapes, folders, paths below a file, hidden files, the build's report, long paths: none of these is served. */
const NO_FILE = /%|\/$|[^/]\.[^/]*\/|\/\.(?!well-known\/)|\/metafile\.json$|.{256}/;
/** The folder of the islands' scripts, whose names change with the build. */
const SCRIPTS = "/_fresh/js/";
/** The query parameter of `asset()`, which names a build. */
const BUILD = "__frsh_c";

/**
 * Serves static files. The runtime finds them; their responses are representations like all others.
 * A path with a route is never served as a file: the files of `static/docs` are sources of pages.
 */
export function serveFiles(): Middleware<State> {
  const serveFile = staticFiles<State>();
  /** By path. In development a file may change, so none is kept. */
  const kept = new Map<string, Representation>();

  async function serve(ctx: Context<State>): Promise<Response> {
    const path = pathOf(ctx.req.url);
    const file = kept.get(path) ?? await load(ctx, path);
    if (file === null) return await ctx.next();
    const { method, url } = ctx.req;
    if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(method, "GET, HEAD");
    const build = buildIn(url);
    if (build !== null && build !== buildIn(asset(path))) return ctx.redirect(path, 307);
    const isFixed = ctx.config.mode === "production" &&
      (build !== null || path.startsWith(SCRIPTS));
    return await sendFile(ctx, file, isFixed);
  }

  /** The file at a path, asked for without the visitor's conditions, which are ours to judge. */
  async function load(ctx: Context<State>, path: string): Promise<Representation | null> {
    if (NO_FILE.test(path)) return null;
    const { req } = ctx;
    ctx.req = new Request(`http://localhost${path}`);
    try {
      const response = await serveFile(ctx);
      const bytes = await response.bytes();
      if (response.status !== 200) return null;
      const contentType = response.headers.get("content-type") ?? "application/octet-stream";
      const isDense = !TEXT.test(contentType);
      const file = createRepresentation({ contentType, bytes, isDense });
      if (ctx.config.mode === "production") kept.set(path, file);
      return file;
    } finally {
      ctx.req = req;
    }
  }

  // Not async: requests with a route only pass.
  return function serveFiles(ctx) {
    return ctx.route === null ? serve(ctx) : ctx.next();
  };
}

/** Sends a file; a fixed one, whose address names its content, is kept for ever. */
export function sendFile(
  { req }: Context<State>,
  file: Representation,
  isFixed: boolean,
): Response | Promise<Response> {
  const cacheControl = isFixed ? "public, max-age=31536000, immutable" : "no-cache";
  const headers = { "cache-control": cacheControl };
  return sendRepresentation(req, file, { maxAgeSeconds: 0, headers });
}

function buildIn(address: string): string | null {
  const search = searchOf(address);
  return search === "" ? null : new URLSearchParams(search).get(BUILD);
}
