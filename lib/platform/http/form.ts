/** Forms: their fields, and whether a page of this site sent them. */

import { readShortBody } from "./body.ts";
import { PublicError } from "./errors.ts";

/** More than usual forms of this site need. */
const MAX_FORM_BYTES = 16 * 1024;
const TYPE = "application/x-www-form-urlencoded";

/**
 * The fields of a form that a browser sent.
 *
 * @throws {PublicError} 415 for another type, and what {@linkcode readShortBody} throws.
 */
export async function readForm(
  request: Request,
  maxBytes: number = MAX_FORM_BYTES,
): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== TYPE) {
    throw new PublicError("unsupported_media_type", "The request does not contain a form.", {
      hint: `Send the fields as ${TYPE}.`,
      headers: { accept: TYPE },
    });
  }
  const bytes = await readShortBody(request, maxBytes);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/**
 * Judges a request with an unsafe method, as upstream Fresh's `csrf` does. A browser states the origin of a request
 * in `Sec-Fetch-Site` (Fetch Metadata) or `Origin` (RFC 6454, section 7), and no page can forge either. A request
 * without both does not come from a browser, so no other site can have caused it.
 *
 * @param origin the origin of this site.
 */
export function isSameOrigin(headers: Headers, origin: string): boolean {
  const site = headers.get("sec-fetch-site");
  const from = headers.get("origin");
  if (site === "same-origin" || site === "none" || from === origin) return true;
  return site === null && from === null;
}
