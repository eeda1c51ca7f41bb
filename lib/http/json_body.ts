/** Reading a JSON request body: its type, its encoding and its size are checked before it is kept. */

import { within } from "../within.ts";
import { readBounded } from "./bounded.ts";
import { PublicError } from "./errors.ts";

/** How long a caller may take to send a body. */
const BODY_MILLISECONDS = 60_000;
/**
 * Room for a body up to this size is taken as soon as its length is announced; for a larger one only as its
 * bytes arrive, since to announce a length costs a caller nothing.
 */
const SMALL_BYTES = 64 * 1024;

/** How much of a body is taken. */
export interface BodyLimits {
  /** The largest body that is taken. */
  readonly maxBytes: number;
  /** Called with a number of bytes before they are kept; throws if there is no room for them. */
  readonly hold: (bytes: number) => void;
}

/**
 * The bytes of a request's body, as they came.
 *
 * @throws {PublicError} 415 for another type than JSON in UTF-8, or a compressed body; 413 for one that
 *   is too large, by its `Content-Length` before a byte of it is read; 400 for one that breaks off; 408
 *   for one that is not there in a minute.
 */
export async function readJsonBytes(
  request: Request,
  { maxBytes, hold }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers } = request;
  requireJson(headers.get("content-type"));
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "") {
    throw new PublicError("unsupported_media_type", "The body is compressed.", {
      hint: "Send it without Content-Encoding.",
      // RFC 9110, section 15.5.16.
      headers: { "accept-encoding": "identity" },
    });
  }
  const length = Number(headers.get("content-length") ?? 0);
  if (length > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const reading = readBytes(request, request.body, length, { maxBytes, hold });
  return await within(BODY_MILLISECONDS, reading, tooSlow);
}

async function readBytes(
  request: Request,
  body: NonNullable<Request["body"]>,
  length: number,
  { maxBytes, hold }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  // A length that was declared is kept by the server: one read, no copy.
  if (length > 0 && length <= SMALL_BYTES) {
    hold(length);
    return new Uint8Array(await request.arrayBuffer().catch(breakOff));
  }
  return await readBounded(body, maxBytes, () => tooLarge(maxBytes), hold).catch(breakOff);
}

function requireJson(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (/^application\/(?:[\w.-]+\+)?json$/.test(type.trim()) && isUtf8) return;
  const message = contentType === null
    ? "The body has no Content-Type."
    : "The body has another Content-Type than JSON in UTF-8.";
  throw new PublicError("unsupported_media_type", message, {
    hint: "Send the header Content-Type: application/json.",
    headers: { "accept": "application/json" },
  });
}

function tooLarge(maxBytes: number): PublicError {
  return new PublicError("payload_too_large", `The body is larger than ${maxBytes} bytes.`, {
    hint: "Send less in one request.",
  });
}

function tooSlow(): never {
  throw new PublicError("request_timeout", "The body took longer than a minute.", {
    hint: "Send it again, on a new connection.",
    // RFC 9110, section 15.5.9.
    headers: { "connection": "close" },
  });
}

function breakOff(cause: unknown): never {
  if (cause instanceof PublicError) throw cause;
  throw new PublicError("bad_request", "The body broke off.", { cause });
}
