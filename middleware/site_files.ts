import type { Middleware } from "fresh";
import {
  createRepresentation,
  nothingHere,
  pathOf,
  type Representation,
  sendRepresentation,
} from "../lib/http/mod.ts";
import { hasOwnMark, type Site, siteFile, siteOf } from "../lib/site/mod.ts";
import type { State } from "../lib/state.ts";

/** Serves the icon and the manifest of a site with a name of its own in place of the usual files. */
export function serveSiteFiles(): Middleware<State> {
  const kept = new WeakMap<Site, Map<string, Representation>>();

  return function serveSiteFiles(ctx) {
    const site = siteOf(ctx.state.services.config);
    const { method, url } = ctx.req;
    if (!hasOwnMark(site) || method !== "GET" && method !== "HEAD") return ctx.next();
    const path = pathOf(url);
    const files = kept.get(site) ?? new Map<string, Representation>();
    kept.set(site, files);
    let representation = files.get(path);
    if (representation === undefined) {
      const file = siteFile(site, path);
      if (file === undefined) return ctx.next();
      if (file === null) throw nothingHere();
      const { contentType, text } = file;
      const bytes = new TextEncoder().encode(text);
      representation = createRepresentation({ contentType, bytes, asked: "often" });
      files.set(path, representation);
    }
    const headers = { "cache-control": "no-cache" };
    return Promise.resolve(
      sendRepresentation(ctx.req, representation, { maxAgeSeconds: 0, headers }),
    );
  };
}
