import type { Context } from "fresh";
import { asciiSearchOf, isForClients, pathOf } from "../lib/platform/address.ts";
import type { State } from "../lib/operate/mod.ts";

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
  ["/favicon.ico", "/apple-touch-icon.png"],
  ["/favicon.png", "/apple-touch-icon.png"],
]);
/** Telephones ask for several sizes of the one icon. */
const TOUCH_ICON = /^\/apple-touch-icon(?:-\d+x\d+)?(?:-precomposed)?\.png$/;

/**
 * Leads to the one address of a page, a feed or a file: without a slash at its end, with its first segment in small
 * letters, and from the names that programs guess. Routes know the other segments, some of which are ids.
 */
export function leadToAddress(ctx: Context<State>): Response | Promise<Response> {
  const { req: { url }, route } = ctx;
  const path = pathOf(url);
  const spelled = path.replace(/^\/[^/]+/, (segment) => segment.toLowerCase())
    .replace(/(?<=.)\/$/, "");
  const meant = route === null ? usualName(spelled) : undefined;
  if (isForClients(path) || meant === undefined && spelled === path) return ctx.next();
  return ctx.redirect(`${meant ?? spelled}${asciiSearchOf(url)}`, meant === undefined ? 308 : 301);
}

function usualName(path: string): string | undefined {
  const icon = "/apple-touch-icon.png";
  return path !== icon && TOUCH_ICON.test(path) ? icon : USUAL_NAMES.get(path);
}
