import type { Context, Middleware } from "fresh";
import { createRepresentation, type Representation } from "../lib/platform/http/representation.ts";
import { nothingHere } from "../lib/platform/http/errors.ts";
import { pathOf, searchOf } from "../lib/platform/address.ts";
import { hasOwnMark, type Site, type SiteFile, siteFile } from "../lib/events/mod.ts";
import type { State } from "../lib/operate/mod.ts";
import { sendFile } from "./files.ts";

/** A file as it is sent, and the version that its address may name. */
type Kept = Pick<SiteFile, "version"> & { readonly representation: Representation };

const DENSE = /^(?:font\/woff2|image\/png)$/;
/** An image opened on its own is a document of this origin, so the policy lets nothing run in it. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Serves the files of a site with a look of its own; they take the place of the usual ones. */
export function serveSiteFiles(): Middleware<State> {
  const kept = new WeakMap<Site, Map<string, Kept>>();

  return function serveSiteFiles(ctx) {
    if (ctx.route !== null) return ctx.next();
    const { site } = ctx.state;
    const { method, url } = ctx.req;
    const isUsual = site.font === null && !hasOwnMark(site);
    if (isUsual || method !== "GET" && method !== "HEAD") return ctx.next();
    const path = pathOf(url);
    const files = kept.get(site) ?? new Map<string, Kept>();
    kept.set(site, files);
    const known = files.get(path);
    if (known !== undefined) return send(ctx, known);
    const file = siteFile(site, path);
    if (file === undefined) return ctx.next();
    if (file === null) throw nothingHere();
    const made = represent(file);
    files.set(path, made);
    return send(ctx, made);
  };
}

function represent({ contentType, bytes, version }: SiteFile): Kept {
  const isImage = contentType.startsWith("image/");
  const representation = createRepresentation({
    ...{ contentType, bytes, isDense: DENSE.test(contentType), asked: "often" },
    ...isImage && { headers: { "content-security-policy": IMAGE_POLICY } },
  });
  return { representation, version };
}

function send(ctx: Context<State>, { representation, version }: Kept) {
  const asked = new URLSearchParams(searchOf(ctx.req.url)).get("v");
  return sendFile(ctx, representation, version !== null && asked === version);
}
