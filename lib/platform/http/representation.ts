/**
 * Representations: bytes that are prepared once in each encoding and sent many times. RFC 9110 (conditional requests,
 * negotiation), RFC 9111 (freshness).
 *
 * A response is a clone of a prepared one: Deno 2.9.6 sends a clone's bytes in place, but copies and validates
 * everything that a new `Response` is made from.
 */

import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { digestOf } from "../digest.ts";
import { yieldToLoop } from "../timeout.ts";
import { chooseEncoding, type Encoding } from "./negotiate.ts";
import { type Asked, createCount, type ServerInfo } from "./wire.ts";

/** Header fields by name, in lower case. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The headers of every response: scripts of other origins may read it, and no browser guesses another type. */
export const COMMON_HEADERS: HeaderFields = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  "x-content-type-options": "nosniff",
};

/** The parts of a response that differ from request to request. */
interface Sending {
  /** How long the caller may keep the response: whole seconds, 0 or more. */
  readonly maxAgeSeconds: number;
  /** Further headers. */
  readonly headers?: HeaderFields;
  /** Tells when the response is over; absent if there is no request. */
  readonly info?: ServerInfo;
}

/** Longer fields of conditional requests are ignored: the whole representation is always a correct response. */
const MAX_FIELD_LENGTH = 4_096;
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Media types that are compressed already: pictures and fonts. */
const DENSE = /^(?:image\/(?!svg)|font\/)/;
/** Compressing a smaller body costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_000;

/**
 * The qualities for what is kept, and for what is one of many. The second ones take about half of the time and
 * make up to a fifth more bytes. Brotli's 11 would make a tenth fewer bytes than 5 in twenty times the time.
 */
const QUALITIES = { kept: { gzip: 6, br: 5 }, oneOfMany: { gzip: 4, br: 2 } } as const;
/** Brotli looks back 512 KiB. Its usual 4 MiB take more memory and save hardly a byte. */
const BROTLI_WINDOW = 19;

const compressors = {
  gzip: (level: number) => createGzip({ level }),
  br: (quality: number) =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW,
      },
    }),
};

/** This much is compressed at a time, which takes a millisecond or two. */
const SLICE_BYTES = 64 * 1024;
/** Other requests have their turn after this time. */
const TURN_MILLISECONDS = 8;

/** The slices of some bytes. */
async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await yieldToLoop(TURN_MILLISECONDS);
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}

/** The content that a representation is made from. */
export interface Content {
  readonly contentType: string;
  /** By default, a digest of the bytes. */
  readonly etag?: string;
  /** Epoch milliseconds. */
  readonly lastModified?: number;
  /** The request header that selects it, in addition to `Accept-Encoding`. */
  readonly vary?: string;
  readonly headers?: HeaderFields;
  /**
   * Whether it is one of a number without a limit, as the lists with a filter are. It is compressed more quickly, into
   * more bytes, and its responses are counted until their callers have taken them. So make it in `makeInTurn`, or call
   * `requireRoom` first.
   */
  readonly isOneOfMany?: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A prepared response with its validators. */
export type Representation = ReturnType<typeof createRepresentation>;

/** Prepares a representation. */
export function createRepresentation(content: Content) {
  const { contentType, bytes, etag = `W/"${digestOf(bytes)}"`, lastModified, isOneOfMany = false } =
    content;
  const qualities = QUALITIES[isOneOfMany ? "oneOfMany" : "kept"];
  const isDense = DENSE.test(contentType);
  const vary = [content.vary ?? [], isDense ? [] : "accept-encoding"].flat().join(", ");
  const fields: HeaderFields = {
    etag,
    ...vary !== "" && { vary },
    ...content.headers,
    ...lastModified !== undefined && { "last-modified": new Date(lastModified).toUTCString() },
  };
  const typed = { ...fields, "content-type": contentType };
  const { length } = bytes;
  const identity = createSender(bytes, typed, { isOneOfMany });
  let size = length;
  const kept: Partial<Record<Encoding, Promise<Sender>>> = {};

  async function compress(encoding: keyof typeof compressors): Promise<Sender> {
    // Deno 2.9.6 compresses in the thread that serves requests, so large bytes are compressed in slices.
    const slices = Readable.from(slicesOf(await (await identity({ maxAgeSeconds: 0 })).bytes()));
    const compressed = new Uint8Array(
      await buffer(slices.pipe(compressors[encoding](qualities[encoding]))),
    );
    size += compressed.length;
    return createSender(compressed, { ...typed, "content-encoding": encoding }, { isOneOfMany });
  }

  /** Sends the bytes in an encoding, which are made at the first request and kept. */
  async function senderOf(encoding: Encoding): Promise<Sender> {
    if (isDense || encoding === "identity" || length < MIN_COMPRESSED_BYTES) return identity;
    return await (kept[encoding] ??= compress(encoding).catch((error) => {
      delete kept[encoding];
      throw error;
    }));
  }

  return {
    /** As sent, such as `W/"abc"`. Weak: it is the same for all encodings. */
    etag,
    /** Epoch milliseconds. */
    ...lastModified !== undefined && { lastModified },
    /** Sends the 304; it has the validators too (RFC 9110, section 15.4.5). */
    sendNotModified: createSender(null, fields, { status: 304 }),
    /** Sends the bytes in an encoding. */
    async send(encoding: Encoding, sending: Sending): Promise<Response> {
      return await (await senderOf(encoding))(sending);
    },
    /** The bytes of all encodings that are kept. */
    size: () => size,
  };
}

/** Makes a response with some bytes. */
type Sender = (sending: Sending) => Response | Promise<Response>;

/** Makes the function that sends some bytes, with the headers of one prepared response. Its clones share its bytes. */
function createSender(
  bytes: Uint8Array<ArrayBuffer> | null,
  fields: HeaderFields,
  { isOneOfMany = false, status = 200 },
): Sender {
  const prepared = createResponse(bytes, fields, status);
  const count = isOneOfMany && bytes !== null ? createCount(bytes.length) : null;
  /** It changes once a second, and setting a header costs time. */
  let preparedMaxAge: number | null = null;
  return function send({ maxAgeSeconds, headers, info }) {
    if (maxAgeSeconds !== preparedMaxAge) {
      preparedMaxAge = maxAgeSeconds;
      setHeaders(prepared, { "cache-control": `max-age=${maxAgeSeconds}` });
    }
    const response = prepared.clone();
    if (headers !== undefined) setHeaders(response, headers);
    return count === null || info === undefined ? response : count(response, info);
  };
}

/** Bytes to reserve for a representation in a cache: its compressed copies are made later. */
export function roomOf(representation: Representation): number {
  return 2 * representation.size();
}

/** Makes a response with the common headers. Its clones share its bytes, which must not be changed. */
export function createResponse(
  body: BodyInit | null,
  fields: HeaderFields,
  status = 200,
): Response {
  // With headers in the constructor, Deno copies the body for a fast path that a later header disables.
  const response = new Response(body, { status });
  setHeaders(response, { ...fields, ...COMMON_HEADERS });
  return response;
}

/** Sets header fields of a response. */
export function setHeaders({ headers }: Response, fields: HeaderFields): void {
  for (const [name, value] of Object.entries(fields)) headers.set(name, value);
}

/** Responds to a GET: 304 if the caller has the representation, else its bytes in the best encoding. */
export async function sendRepresentation(
  { req: { headers }, info }: Asked,
  representation: Representation,
  sending: Sending,
): Promise<Response> {
  if (isNotModified(headers, representation)) return representation.sendNotModified(sending);
  const encoding = chooseEncoding(headers.get("accept-encoding"));
  return await representation.send(encoding, { ...sending, info });
}

/**
 * Whether a GET or HEAD gets 304: by `If-None-Match` with weak comparison, or without it by `If-Modified-Since`
 * (RFC 9110, section 13.2.2). A malformed field counts as absent.
 */
export function isNotModified(
  headers: Pick<Headers, "get">,
  validators: Pick<Representation, "etag" | "lastModified">,
): boolean {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null) return matches(ifNoneMatch, validators.etag);
  if (validators.lastModified === undefined) return false;
  const since = headers.get("if-modified-since");
  // Dates have whole seconds (RFC 9110, section 5.6.7).
  return since !== null && /GMT$/.test(since) &&
    Math.floor(validators.lastModified / 1000) * 1000 <= Date.parse(since);
}

function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.length > MAX_FIELD_LENGTH) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = withoutWeakness(etag);
  return (ifNoneMatch.match(ENTITY_TAG) ?? []).some((tag) => withoutWeakness(tag) === opaque);
}

function withoutWeakness(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
