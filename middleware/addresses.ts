import type { Context } from "fresh";
import { hasOwnMark } from "../lib/events/site/site.ts";
import { iconLink } from "../lib/events/site/site_files.ts";
import { asciiSearchOf, isForClients, pathOf } from "../lib/platform/address.ts";
import type { State } from "../lib/operate/state.ts";

/**
 * The names that browsers, feed readers and tools try without being told, and what each means. The redirect is a 301,
 * which old readers follow too, and after which a reader keeps the address itself.
 */
const USUAL_NAMES = new Map([
  ["/feed", "/api/v1/events/rss"],
  ["/rss", "/api/v1/events/rss"],
  ["/rss.xml", "/api/v1/events/rss"],
  ["/feed.xml", "/api/v1/events/rss"],
  ["/feed.rss", "/api/v1/events/rss"],
  ["/index.xml", "/api/v1/events/rss"],
  ["/atom", "/feed.atom"],
  ["/atom.xml", "/feed.atom"],
  ["/feed/atom", "/feed.atom"],
  ["/calendar", "/calendar.ics"],
  ["/events.ics", "/calendar.ics"],
  ["/openapi.json", "/api/v1/openapi.json"],
  ["/swagger.json", "/api/v1/openapi.json"],
]);
/** Where browsers and readers look for an icon without being told; telephones for several sizes of the one. */
const ICON = /^\/(?:favicon\.(?:ico|png)|apple-touch-icon(?:-\d+x\d+|-precomposed)+\.png)$/;
/** The icon of a site without one of its own, which readers that draw no SVG can show. */
const USUAL_ICON = "/apple-touch-icon.png";

/**
 * Leads to the one address of a page, a feed or a file: without a slash at its end, with its first segment in small
 * letters, and from the names that programs guess. Routes know the other segments, some of which are ids.
 */
export function leadToAddress(ctx: Context<State>): Response | Promise<Response> {
  const { req: { url }, route, state: { site } } = ctx;
  const path = pathOf(url);
  if (isForClients(path)) return ctx.next();
  const spelled = path.replace(/^\/[^/]+/, (segment) => segment.toLowerCase())
    .replace(/(?<=.)\/$/, "");
  if (ICON.test(spelled)) return ctx.redirect(hasOwnMark(site) ? iconLink(site).href : USUAL_ICON);
  const meant = route === null ? USUAL_NAMES.get(spelled) : undefined;
  if (meant === undefined && spelled === path) return ctx.next();
  return ctx.redirect(`${meant ?? spelled}${asciiSearchOf(url)}`, meant === undefined ? 308 : 301);
}
