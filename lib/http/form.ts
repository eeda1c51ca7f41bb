/** Reads the fields of a form. */

import { readBounded } from "./body.ts";
import { PublicError } from "./errors.ts";

/** Larger than every form of ours. */
const MAX_FORM_BYTES = 16 * 1024;
const TYPE = "application/x-www-form-urlencoded";

/**
 * The fields of a form that a browser sent.
 *
 * @throws {PublicError} 415 for another type, 413 for a body that no form of ours has.
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== TYPE) {
    throw new PublicError("unsupported_media_type", "The request is no form.", {
      hint: `Send the fields as ${TYPE}.`,
      headers: { accept: TYPE },
    });
  }
  const bytes = await readBounded(
    request.body,
    MAX_FORM_BYTES,
    () =>
      new PublicError("payload_too_large", "The form is too large.", {
        hint: `It may have ${MAX_FORM_BYTES} bytes.`,
      }),
  );
  return new URLSearchParams(new TextDecoder().decode(bytes));
}
