/** The addresses of an event on this site, and the `Link` headers that name them (RFC 8288). */

import type { StoredEvent } from "./model.ts";

/** The path of an event's page. */
export function eventHref(slug: string): string {
  return `/events/${encodeURIComponent(slug)}`;
}

/** The path of something that belongs to an event. It has the id, so that it survives a renaming. */
export function partHref(id: string, part: ".ics" | "/card" | "/logo" | "/background"): string {
  return `/events/${encodeURIComponent(id)}${part}`;
}

/** The `Link` header with the only address of a representation that several query strings ask for. */
export function canonicalLink(baseUrl: string, path: string): string {
  return `<${baseUrl}${path}>; rel="canonical"`;
}

/**
 * The `Link` header of an event: its page, calendar and card, and the logo and the background that it has.
 *
 * @param baseUrl without a trailing slash.
 */
export function eventLinks(event: StoredEvent, baseUrl: string): string {
  const { id, slug, logoUrl, background } = event;
  const links: [path: string, parameters: string][] = [
    [eventHref(slug), `rel="alternate"; type="text/html"; title="page"`],
    [partHref(id, ".ics"), `rel="alternate"; type="text/calendar"; title="calendar"`],
    [partHref(id, "/card"), `rel="preview"; type="image/png"; title="card"`],
  ];
  if (logoUrl !== null) links.push([partHref(id, "/logo"), `rel="icon"; title="logo"`]);
  if (background?.imageUrl) {
    links.push([partHref(id, "/background"), `rel="related"; title="background"`]);
  }
  return links.map(([path, parameters]) => `<${baseUrl}${path}>; ${parameters}`).join(", ");
}
