/**
 * How the address of a request is cut into its parts. The router and the middleware both cut it here, so that no
 * request is routed by one path and judged by another.
 */

/** The parts of an address, as they were sent; "" for a part that is not there. */
interface AddressParts {
  /** The scheme and the host: `https://foyer.example:8000`. */
  readonly origin: string;
  readonly host: string;
  readonly path: string;
  /** The query string with its `?`. */
  readonly search: string;
}

/** RFC 3986, appendix B: a query or a fragment may follow the host at once. */
const ADDRESS = /^(?:([^:/?#]*:\/\/)([^/?#]*))?([^?#]*)(\?[^#]*)?/;

/** The last address that was cut: the router and the middleware all cut that of one request. */
let last: { readonly url: string; readonly parts: AddressParts } | undefined;

/** Cuts an address, which may be one that `URL` cannot parse: Deno puts a `Host` into it unchecked. */
export function cutAddress(url: string): AddressParts {
  if (last?.url === url) return last.parts;
  const [, scheme = "", host = "", path = "", search = ""] = ADDRESS.exec(url) ?? [];
  const parts = { origin: scheme + host, host, path, search };
  last = { url, parts };
  return parts;
}

/** The address of the member's page, where members create keys. */
export const ACCOUNT = "/account";

/**
 * Addresses for clients, which join them with a slash at the end and follow no redirect with their key: they are
 * answered in place.
 */
const FOR_CLIENTS = /^\/(?:api|proxy|mcp|up)(?:\/|$)/;

/** Whether a path is one of the addresses for clients, whose slash at the end does not count. */
export function isForClients(path: string): boolean {
  return FOR_CLIENTS.test(path);
}

/**
 * The path of an address, with slash runs collapsed, dot segments resolved, and without the slash at the end of an
 * address for clients; "/" without one. The host is ignored, since it may be invalid.
 */
export function pathOf(url: string): string {
  const { path } = cutAddress(url);
  // Only a path that parsing would change is parsed.
  if (path !== "" && !/\/\/|\/\.|.\/$|%2e|\\|[^\x21-\x7e]/i.test(path)) return path;
  const parsed = new URL(`http://localhost${path}`).pathname.replace(/\/\/+/g, "/");
  return isForClients(parsed) ? parsed.replace(/\/$/, "") : parsed;
}

/** The query string of an address, with its `?`; "" without one. */
export function searchOf(url: string): string {
  return cutAddress(url).search;
}

/** The query string of an address for a header, which holds ASCII alone, while an address may be sent with any bytes. */
export function asciiSearchOf(url: string): string {
  const encode = (part: string) => encodeURIComponent(part.toWellFormed());
  return searchOf(url).replace(/[^\x21-\x7e]+/g, encode);
}
