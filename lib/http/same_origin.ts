/** Whether a request that changes something was sent by a page of this site. */

/**
 * Judges an unsafe method as upstream Fresh's `csrf` does: a browser says by `Sec-Fetch-Site` (Fetch Metadata) or
 * `Origin` (RFC 6454, 7) where a request comes from, and a page of another site can forge neither. A request with none
 * of them comes from no browser, so no other site can have caused it.
 *
 * @param origin the origin of this site.
 */
export function isSameOrigin(headers: Headers, origin: string): boolean {
  const site = headers.get("sec-fetch-site");
  const from = headers.get("origin");
  if (site === "same-origin" || site === "none" || from === origin) return true;
  return site === null && from === null;
}
