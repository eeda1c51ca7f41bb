/** Files are compressed if they are texts, once for each encoding; pictures and fonts are not. */

import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createFileCompressor } from "../../middleware/files.ts";
import { startFoyer } from "../support/foyer.ts";

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };
const TEXT = new TextEncoder().encode("export const greeting = 'hello';\n".repeat(100));
const ETAG = 'W/"1234"';

/** A file as the runtime answers with it. */
function answer(contentType: string, status = 200): Response {
  const headers = { "content-type": contentType, "etag": ETAG, "vary": "If-None-Match" };
  return new Response(status === 304 ? null : TEXT, { status, headers });
}

function asking(encoding: string): Request {
  return new Request("http://foyer.example/", { headers: { "accept-encoding": encoding } });
}

Deno.test("a text is compressed as the caller accepts it, under the same entity tag", async () => {
  const compress = createFileCompressor();
  for (const [encoding, unpack] of Object.entries(UNPACK)) {
    for (let time = 1; time <= 2; time++) {
      const { headers, body } = await compress(asking(encoding), answer("text/javascript"));
      const bytes = await new Response(body).bytes();
      assert.equal(headers.get("content-encoding"), encoding);
      assert.match(headers.get("vary") ?? "", /if-none-match.*accept-encoding/i);
      assert.equal(headers.get("etag"), ETAG);
      assert.ok(bytes.length < TEXT.length / 2);
      assert.deepEqual(new Uint8Array(unpack(bytes)), TEXT);
    }
    const { status, headers } = await compress(asking(encoding), answer("text/javascript", 304));
    assert.equal(status, 304);
    assert.equal(headers.get("content-encoding"), null);
    assert.match(headers.get("vary") ?? "", /accept-encoding/);
  }
});

Deno.test("a text that nobody wants compressed, a font and a picture come as they are", async () => {
  const compress = createFileCompressor();
  const asked = [["identity", "text/css"], ["br", "font/woff2"], ["gzip", "image/png"]] as const;
  for (const [encoding, contentType] of asked) {
    const response = await compress(asking(encoding), answer(contentType));
    assert.equal(response.headers.get("content-encoding"), null);
    assert.deepEqual(await response.bytes(), TEXT);
  }
});

Deno.test("files pass through it on their way out", async () => {
  await using foyer = await startFoyer();
  const varies = async (path: string) => {
    const { headers, body } = await foyer.get(path);
    await body?.cancel();
    return /accept-encoding/.test(headers.get("vary") ?? "");
  };
  assert.equal(await varies("/favicon.svg"), true);
  assert.equal(await varies("/icon-192.png"), false);
});
