/** Files through the public door: texts are compressed, pictures and fonts are not. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { connect, head, parseAnswer } from "../proxy/door.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

/** An answer as it comes over the wire: `fetch` would unpack it before anybody can look. */
async function ask(foyer: Foyer, method: string, path: string, ...fields: string[]) {
  using connection = await connect(foyer.origin);
  await connection.send(head(method, path, ...fields, "Connection: close"));
  const { headers, body } = parseAnswer(await connection.read());
  return { headers, bytes: Buffer.from(body, "latin1") };
}

Deno.test("a text is compressed as the caller accepts it, under the same entity tag", async () => {
  await using foyer = await startFoyer();
  const page = await (await foyer.get("/")).text();
  const script = /import\("([^"]+Filters[^"]*)"\)/.exec(page)?.[1] ?? "";
  const plain = await ask(foyer, "GET", script);
  assert.equal(plain.headers.get("content-encoding"), null);
  const etag = plain.headers.get("etag") ?? "";
  for (const [encoding, unpack] of Object.entries(UNPACK)) {
    for (let time = 1; time <= 2; time++) {
      const accepted = `Accept-Encoding: ${encoding}`;
      const { headers, bytes } = await ask(foyer, "GET", script, accepted);
      assert.equal(headers.get("content-encoding"), encoding);
      assert.match(headers.get("vary") ?? "", /accept-encoding/);
      assert.equal(headers.get("etag"), etag);
      assert.equal(headers.get("content-length"), String(bytes.length));
      assert.ok(bytes.length < plain.bytes.length / 2);
      assert.deepEqual(unpack(bytes), plain.bytes);
      const again = await ask(foyer, "GET", script, accepted, `If-None-Match: ${etag}`);
      assert.equal(again.bytes.length, 0);
      assert.match(again.headers.get("vary") ?? "", /accept-encoding/);
      const asked = await ask(foyer, "HEAD", script, accepted);
      assert.equal(asked.bytes.length, 0);
      assert.equal(asked.headers.get("content-length"), String(bytes.length));
    }
  }
});

Deno.test("a font and a picture come as they are", async () => {
  await using foyer = await startFoyer();
  for (const path of ["/fonts/bricolage-grotesque.woff2", "/icon-192.png"]) {
    const { headers, bytes } = await ask(foyer, "GET", path, "Accept-Encoding: br, gzip");
    assert.equal(headers.get("content-encoding"), null);
    assert.equal(headers.get("content-length"), String(bytes.length));
  }
});
