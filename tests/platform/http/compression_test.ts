/** Compression: the runtime compresses in the thread that serves requests. */
// Not quick: it compresses megabytes.

import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createRepresentation } from "../../../lib/platform/http/representation.ts";

Deno.test("while a large answer is compressed, other requests have their turns", async () => {
  // Nothing repeats itself, so that the compressors take long on every machine.
  let random = 1;
  const bytes = new Uint8Array(8 * 1024 * 1024).map(() => {
    random = Math.imul(random, 1_664_525) + 1_013_904_223;
    return random >>> 26;
  });
  for (const [encoding, plainOf] of [["br", brotliDecompressSync], ["gzip", gunzipSync]] as const) {
    const representation = createRepresentation({ contentType: "text/plain", bytes });
    let turns = 0;
    let isOver = false;
    const counted = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        turns++;
      }
    })();
    const response = await representation.send(encoding, { maxAgeSeconds: 0 });
    isOver = true;
    await counted;
    assert.ok(turns >= 4, `${encoding}: ${turns} turns`);
    assert.deepEqual(new Uint8Array(plainOf(await response.bytes())), bytes);
  }
});

Deno.test("an answer for one request is compressed less densely than one that is kept", async () => {
  const bytes = new TextEncoder().encode(
    Array.from({ length: 2_000 }, (_, at) => `Event ${at} in ${at * at % 977}`).join("\n"),
  );
  for (const [encoding, plainOf] of [["br", brotliDecompressSync], ["gzip", gunzipSync]] as const) {
    const [kept, forOne] = await Promise.all([false, true].map(async (isOneOfMany) => {
      const made = createRepresentation({ contentType: "text/plain", bytes, isOneOfMany });
      return await (await made.send(encoding, { maxAgeSeconds: 0 })).bytes();
    })) as [Uint8Array, Uint8Array];
    assert.deepEqual(new Uint8Array(plainOf(forOne)), bytes);
    assert.ok(kept.length < forOne.length, `${encoding}: ${kept.length}, ${forOne.length} bytes`);
  }
});
