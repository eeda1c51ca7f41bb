/**
 * A representation: an answer that is prepared once in each encoding, and sent many times. RFC 9110
 * (conditional requests, negotiation), RFC 9111 (freshness).
 *
 * What is sent is a clone of a prepared `Response`: Deno 2.9.6 sends a clone's bytes from where they are,
 * where it copies and checks all that a new one is made of.
 */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { digestOf } from "../digest.ts";
import { isNotModified } from "./etag.ts";
import { chooseEncoding, type Encoding } from "./negotiate.ts";

/** Header fields by name, in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** What every answer says: scripts of other origins may read it, and no browser guesses another type. */
export const COMMON_HEADERS: HeaderFields = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};

/** An answer with what identifies it. */
export interface Representation {
  /** As sent, such as `W/"abc"`. Weak: it names the meaning, not the encoding. */
  readonly etag: string;
  /** Epoch milliseconds, where the answer is told to have one. */
  readonly lastModified?: number;
  /** The answer in an encoding, to be cloned and not to be read; made at the first request for it, then kept. */
  prepared(encoding: Encoding): Response | Promise<Response>;
  /** The answer to a caller who has it, to be cloned: what each answer says, a 304 too (RFC 9110, section 15.4.5). */
  readonly notModified: Response;
  /** The bytes of all encodings that are kept now. */
  size(): number;
}

/** How one request is answered with a representation. */
export interface Answer {
  /** For how long the caller may keep the answer: whole seconds, 0 or more. */
  readonly maxAgeSeconds: number;
  /** What else this answer says. */
  readonly headers?: HeaderFields;
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

/** What a representation is made of. */
export interface Content {
  readonly contentType: string;
  /** What it is known by, if not by its bytes. */
  readonly etag?: string;
  /** Epoch milliseconds. */
  readonly lastModified?: number;
  /** What it is chosen by beside its encoding. */
  readonly vary?: string;
  readonly headers?: HeaderFields;
  /** How often it will be sent; once, if nothing is said. */
  readonly asked?: keyof typeof BROTLI_QUALITIES;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Prepares a representation. */
export function createRepresentation(content: Content): Representation {
  const { contentType, bytes, etag = `W/"${digestOf(bytes)}"`, vary, lastModified } = content;
  const { asked = "once" } = content;
  const fields: HeaderFields = {
    etag,
    "vary": vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`,
    ...content.headers,
    ...lastModified !== undefined && { "last-modified": new Date(lastModified).toUTCString() },
  };
  const typed = { ...fields, "content-type": contentType };
  const identity = createAnswer(bytes, typed);
  const { length } = bytes;
  let size = length;
  const kept: Partial<Record<Encoding, Response | Promise<Response>>> = {};

  async function compress(encoding: keyof typeof compressors): Promise<Response> {
    const compressed = new Uint8Array(
      await compressors[encoding](await identity.clone().bytes(), asked),
    );
    size += compressed.length;
    return kept[encoding] = createAnswer(compressed, { ...typed, "content-encoding": encoding });
  }

  return {
    etag,
    ...lastModified !== undefined && { lastModified },
    notModified: createAnswer(null, fields, 304),
    prepared(encoding) {
      if (encoding === "identity" || length < MIN_COMPRESSED_BYTES) return identity;
      return kept[encoding] ??= compress(encoding).catch((error) => {
        delete kept[encoding];
        throw error;
      });
    },
    size: () => size,
  };
}

/** Makes an answer that has what every answer says. Its bytes are those of its clones too: nobody may change them. */
export function createAnswer(
  body: BodyInit | null,
  fields: HeaderFields,
  status = 200,
): Response {
  // Given headers, the constructor would copy the body for a way of sending that ends where one is set later.
  const response = new Response(body, { status });
  setHeaders(response, { ...fields, ...COMMON_HEADERS });
  return response;
}

/** Sets header fields of an answer. */
export function setHeaders({ headers }: Response, fields: HeaderFields): void {
  for (const [name, value] of Object.entries(fields)) headers.set(name, value);
}

/** Answers a GET: 304 to a caller who has the representation, else its bytes in the best encoding. */
export function sendRepresentation(
  { headers }: Request,
  representation: Representation,
  answer: Answer,
): Response | Promise<Response> {
  if (isNotModified(headers, representation)) return clone(representation.notModified, answer);
  const prepared = representation.prepared(chooseEncoding(headers.get("accept-encoding")));
  return prepared instanceof Promise
    ? prepared.then((ready) => clone(ready, answer))
    : clone(prepared, answer);
}

function clone(prepared: Response, { maxAgeSeconds, headers }: Answer): Response {
  const response = prepared.clone();
  response.headers.set("cache-control", `max-age=${maxAgeSeconds}`);
  if (headers !== undefined) setHeaders(response, headers);
  return response;
}
