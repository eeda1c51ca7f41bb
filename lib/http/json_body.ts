/** Reading a JSON request body: its type, its encoding and its size are checked before it is kept. */

import { BODY_PACE_BYTES, type BodyPace, type PacedBody } from "./body_pace.ts";
import { readBounded } from "./bounded.ts";
import { PublicError } from "./errors.ts";

/** How a body is taken. */
interface BodyLimits {
  /** The largest body that is taken. */
  readonly maxBytes: number;
  /** Called with a number of bytes that have come, before they are kept; throws if there is no room for them. */
  readonly hold: (bytes: number) => void;
  readonly pace: BodyPace;
  /**
   * A last look at the caller, which throws to refuse it: before a body is read that is larger than a few
   * kilobytes or of unknown length, and when a smaller one is not there after a moment.
   */
  readonly look: () => Promise<void>;
}

/**
 * The bytes of a request's body, as they came.
 *
 * @throws {PublicError} 415 for another type than JSON in UTF-8, or a compressed body; 413 for one that
 *   is too large, by its `Content-Length` before a byte of it is read; 400 for one that breaks off; 408
 *   for one that comes too slowly. What `hold` and `look` throw.
 */
export async function readJsonBytes(
  request: Request,
  { maxBytes, hold, pace, look }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = request;
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
  if (body === null) return new Uint8Array();
  // Too small for its pace to be of interest: it is there within five seconds, or too slow.
  const isSmall = length > 0 && length <= BODY_PACE_BYTES;
  if (!isSmall) await look();
  const paced = pace.watch(isSmall ? look : undefined);
  const reading = isSmall ? readSmall(request, hold) : readLarge(body, paced, { maxBytes, hold });
  try {
    return await Promise.race([reading, paced.broken]);
  } finally {
    paced.end();
  }
}

/** One read, no copy: much faster than part by part. */
async function readSmall(
  request: Request,
  hold: BodyLimits["hold"],
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await request.arrayBuffer().catch(breakOff));
  hold(bytes.length);
  return bytes;
}

async function readLarge(
  body: NonNullable<Request["body"]>,
  paced: PacedBody,
  { maxBytes, hold }: Pick<BodyLimits, "maxBytes" | "hold">,
): Promise<Uint8Array<ArrayBuffer>> {
  const take = (bytes: number) => {
    hold(bytes);
    paced.arrived(bytes);
  };
  const reader = body.getReader();
  // A body that is too slow is not read on: what comes of it later is nobody's.
  paced.broken.catch((reason) => reader.cancel(reason).catch(() => {}));
  return await readBounded(partsOf(reader), maxBytes, () => tooLarge(maxBytes), take)
    .catch(breakOff);
}

async function* partsOf(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
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

function breakOff(cause: unknown): never {
  if (cause instanceof PublicError) throw cause;
  throw new PublicError("bad_request", "The body broke off.", { cause });
}
