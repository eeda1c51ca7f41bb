/** Forms: their fields, and whether a page of this site sent them. */

import { readShortBody } from "./body.ts";
import { PublicError } from "./errors.ts";

/** More than usual forms of this site need. */
const MAX_FORM_BYTES = 16 * 1024;
const TYPE = "application/x-www-form-urlencoded";
/** The type of forms with files, which only pages that expect large forms accept. */
const WITH_FILES = "multipart/form-data";

/**
 * The fields of a form that a browser sent.
 *
 * @throws {PublicError} 415 for another type, 400 for a malformed form, and what {@linkcode readShortBody} throws.
 */
export async function readForm(
  request: Request,
  maxBytes: number = MAX_FORM_BYTES,
): Promise<FormData> {
  const header = request.headers.get("content-type") ?? "";
  const type = header.split(";")[0]?.trim().toLowerCase();
  const hasFiles = type === WITH_FILES && maxBytes > MAX_FORM_BYTES;
  if (type !== TYPE && !hasFiles) {
    throw new PublicError("unsupported_media_type", "The request does not contain a form.", {
      hint: `Send the fields as ${TYPE}.`,
      headers: { accept: TYPE },
    });
  }
  const bytes = await readShortBody(request, maxBytes);
  return await new Response(bytes, { headers: { "content-type": header } }).formData()
    .catch((cause) => {
      throw new PublicError("bad_request", "The form is malformed.", { cause });
    });
}

/** The text of a field of a form; "" if it is absent or a file. */
export function textOf(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value : "";
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
