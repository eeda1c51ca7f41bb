import { type Context, type Middleware, staticFiles } from "fresh";
import { asset } from "fresh/runtime";
import {
  createRepresentation,
  type Representation,
  sendRepresentation,
} from "../lib/platform/http/representation.ts";
import { nothingHere } from "../lib/platform/http/errors.ts";
import { methodNotAllowed } from "../lib/platform/http/methods.ts";
import { pathOf, searchOf } from "../lib/platform/address.ts";
import { memoize } from "../lib/platform/memoize.ts";
import type { Site } from "../lib/events/site/site.ts";
import { siteFile } from "../lib/events/site/site_files.ts";
import type { State } from "../lib/operate/state.ts";

/** A file as it is sent, and the query string of the address under which browsers may keep it for ever. */
interface ServedFile {
  readonly representation: Representation;
  readonly fixedBy: string;
}

/** Escapes, folders, paths below a file, hidden files, the build's report, long paths: none of these is served. */
const NO_FILE = /%|\/$|[^/]\.[^/]*\/|\/\.(?!well-known\/)|\/metafile\.json$|.{256}/;
/** The folder of the islands' scripts, whose names change with the build. */
const SCRIPTS = "/_fresh/js/";
/** An image opened on its own is a document of this origin, so the policy lets nothing run in it. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Serves the files of the site: those of its own look, and static files. The runtime finds static files; their
 * responses are representations like all others. A path with a route is never served as a file: the files of
 * `static/docs` are sources of pages.
 */
export function serveFiles(): Middleware<State> {
  const readStatic = staticFiles<State>();
  /** By path. In development a file may change, so none is kept. */
  const keptFor = memoize((_: Site) => new Map<string, ServedFile>());

  async function serve(ctx: Context<State>): Promise<Response> {
    const { req, state: { site }, config: { mode } } = ctx;
    const path = pathOf(req.url);
    const kept = keptFor(site);
    const file = kept.get(path) ?? ownFile(site, path) ?? await load(ctx, path);
    if (file === null) return await ctx.next();
    if (mode === "production") kept.set(path, file);
    if (req.method !== "GET" && req.method !== "HEAD") {
      throw methodNotAllowed(req.method, "GET, HEAD");
    }
    const { representation, fixedBy } = file;
    const isFixed = mode === "production" &&
      (path.startsWith(SCRIPTS) || fixedBy !== "" && searchOf(req.url) === fixedBy);
    const cacheControl = isFixed ? "public, max-age=31536000, immutable" : "no-cache";
    const headers = { "cache-control": cacheControl };
    return await sendRepresentation(ctx, representation, { maxAgeSeconds: 0, headers });
  }

  /** The static file at a path, asked for without the visitor's conditions, which are ours to judge. */
  async function load(ctx: Context<State>, path: string): Promise<ServedFile | null> {
    if (NO_FILE.test(path)) return null;
    const { req } = ctx;
    ctx.req = new Request(`http://localhost${path}`);
    try {
      const response = await readStatic(ctx);
      const bytes = await response.bytes();
      if (response.status !== 200) return null;
      const contentType = response.headers.get("content-type") ?? "application/octet-stream";
      const representation = createRepresentation({ contentType, bytes });
      return { representation, fixedBy: searchOf(asset(path)) };
    } finally {
      ctx.req = req;
    }
  }

  // Not async: requests with a route only pass.
  return function serveFiles(ctx) {
    return ctx.route === null ? serve(ctx) : ctx.next();
  };
}

/** A file of the site's own look, which takes the place of the usual one; undefined if there is none. */
function ownFile(site: Site, path: string): ServedFile | undefined {
  const file = siteFile(site, path);
  if (file === undefined) return undefined;
  if (file === null) throw nothingHere();
  const { contentType, bytes, version } = file;
  const representation = createRepresentation({
    contentType,
    bytes,
    ...contentType.startsWith("image/") &&
      { headers: { "content-security-policy": IMAGE_POLICY } },
  });
  return { representation, fixedBy: version === null ? "" : `?v=${version}` };
}
