/**
 * A representation: the bytes of an answer, prepared once in each encoding, and sent many times.
 * RFC 9110 (conditional requests, negotiation), RFC 9111 (freshness).
 */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { digestOf } from "../digest.ts";
import { createComplete, type HeaderLine } from "./complete.ts";
import { isNotModified } from "./etag.ts";
import { chooseEncoding, type Encoding } from "./negotiate.ts";

/** The bytes of an answer with what identifies them. */
export interface Representation {
  readonly contentType: string;
  /** As sent, such as `W/"abc"`. Weak: it names the meaning, not the encoding. */
  readonly etag: string;
  /** Epoch milliseconds, where the answer is told to have one. */
  readonly lastModified?: number;
  /** What each answer says of it, a 304 too (RFC 9110, section 15.4.5). */
  readonly headers: readonly HeaderLine[];
  /** The bytes in an encoding; made at the first request for it, then kept. */
  encoded(encoding: Encoding): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes of all encodings that are kept now. */
  size(): number;
}

/** How one request is answered with a representation. */
export interface Answer {
  readonly requestId: string;
  /** For how long the caller may keep the answer: whole seconds, 0 or more. */
  readonly maxAgeSeconds: number;
  /** What else this answer says. */
  readonly headers?: readonly HeaderLine[];
}

/** Below this a compressed body costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_000;

/** For what is asked for once, and for what is asked for often: a tenth shorter, in twenty times the time. */
const BROTLI_QUALITIES = { once: 5, often: 11 } as const;

const compressors = {
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 6 }),
  br: (bytes: Uint8Array, asked: keyof typeof BROTLI_QUALITIES) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[asked] },
    }),
};

/**
 * Prepares a representation. It is known by its bytes, unless `etag` says that it is by something else;
 * `vary` names what it is chosen by beside its encoding; `asked` says how often it will be sent.
 */
export function createRepresentation(
  content: {
    readonly contentType: string;
    readonly etag?: string;
    readonly lastModified?: number;
    readonly vary?: string;
    readonly headers?: readonly HeaderLine[];
    readonly asked?: keyof typeof BROTLI_QUALITIES;
    readonly bytes: Uint8Array<ArrayBuffer>;
  },
): Representation {
  const {
    bytes,
    etag = `W/"${digestOf(bytes)}"`,
    vary,
    headers = [],
    asked = "once",
    ...identity
  } = content;
  const lines: HeaderLine[] = [
    ["etag", etag],
    ["vary", vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`],
    ...headers,
  ];
  const { lastModified } = identity;
  if (lastModified !== undefined) {
    lines.push(["last-modified", new Date(lastModified).toUTCString()]);
  }
  const kept: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> = { identity: bytes };
  const pending: Partial<Record<Encoding, Promise<Uint8Array<ArrayBuffer>>>> = {};
  const compress = async (encoding: keyof typeof compressors) => {
    const compressed = new Uint8Array(await compressors[encoding](bytes, asked));
    kept[encoding] = compressed;
    return compressed;
  };
  return {
    ...identity,
    etag,
    headers: lines,
    encoded(encoding) {
      const ready = kept[encoding];
      if (ready !== undefined) return ready;
      if (encoding === "identity" || bytes.length < MIN_COMPRESSED_BYTES) return bytes;
      return pending[encoding] ??= compress(encoding);
    },
    size: () => Object.values(kept).reduce((sum, each) => sum + each.length, 0),
  };
}

/**
 * Answers a GET or HEAD: 304 to a caller who has the representation, else its bytes in the best
 * encoding.
 */
export function sendRepresentation(
  request: Request,
  representation: Representation,
  answer: Answer,
): Response | Promise<Response> {
  const { headers } = request;
  if (isNotModified(headers, representation)) {
    const { requestId } = answer;
    return createComplete(null, {
      status: 304,
      headers: linesOf(representation, answer),
      requestId,
    });
  }
  const encoding = chooseEncoding(headers.get("accept-encoding"));
  const bytes = representation.encoded(encoding);
  return bytes instanceof Promise
    ? bytes.then((ready) => respond(request, representation, answer, encoding, ready))
    : respond(request, representation, answer, encoding, bytes);
}

function respond(
  request: Request,
  representation: Representation,
  answer: Answer,
  encoding: Encoding,
  bytes: Uint8Array<ArrayBuffer>,
): Response {
  const { requestId } = answer;
  const headers = linesOf(representation, answer);
  headers.push(["content-type", representation.contentType]);
  if (isCompressed(representation, bytes)) headers.push(["content-encoding", encoding]);
  if (request.method !== "HEAD") return createComplete(bytes, { headers, requestId });
  headers.push(["content-length", String(bytes.length)]);
  return createComplete(null, { headers, requestId });
}

/** Whether bytes of a representation are others than its own; short ones are not compressed. */
export function isCompressed(
  representation: Representation,
  bytes: Uint8Array<ArrayBuffer>,
): boolean {
  return bytes !== representation.encoded("identity");
}

/** What a 304 says as well as the 200. */
function linesOf(
  { headers }: Representation,
  { maxAgeSeconds, headers: own = [] }: Answer,
): HeaderLine[] {
  return [...headers, ["cache-control", `max-age=${maxAgeSeconds}`], ...own];
}
