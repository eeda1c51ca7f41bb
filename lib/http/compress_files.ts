/** Compression of files: each text is compressed once in each encoding that somebody asks for. */

import { chooseEncoding } from "./negotiate.ts";
import { createRepresentation, type Representation, setHeaders } from "./representation.ts";

const TEXT = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg\+xml)/;

/**
 * Makes the function that compresses answers with files. What has no entity tag, or is no text, is left as
 * it is. What it keeps is bounded by the number of files.
 */
export function createFileCompressor(): (
  request: Request,
  response: Response,
) => Promise<Response> {
  const kept = new Map<string, Representation>();

  return async function compressFile({ headers: asked }, response) {
    const { status, headers } = response;
    const contentType = headers.get("content-type") ?? "";
    const etag = headers.get("etag");
    if (etag === null || !TEXT.test(contentType)) return response;
    headers.append("vary", "accept-encoding");
    const encoding = chooseEncoding(asked.get("accept-encoding"));
    if (status !== 200 || response.body === null || encoding === "identity") return response;
    const known = kept.get(etag) ??
      createRepresentation({ contentType, etag, bytes: await response.bytes() });
    kept.set(etag, known);
    const compressed = (await known.prepared(encoding)).clone();
    headers.delete("content-length");
    setHeaders(compressed, Object.fromEntries(headers));
    return compressed;
  };
}
