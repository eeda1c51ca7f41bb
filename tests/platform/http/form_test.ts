/** How long the bodies of forms may be and take. */

import assert from "node:assert/strict";
import { readShortBody } from "../../../lib/platform/http/body.ts";

Deno.test("a form that does not arrive, is cut off or is too long is refused", async () => {
  const bodyOf = (body: ReadableStream<Uint8Array<ArrayBuffer>>) =>
    new Request("https://foyer.example/", { method: "POST", body });
  const cut = bodyOf(new ReadableStream({ start: (controller) => controller.error("gone") }));
  const long = bodyOf(new Blob(["x".repeat(11)]).stream());
  const slow = readShortBody(bodyOf(new ReadableStream()), 10, 0);
  await assert.rejects(slow, { code: "request_timeout", message: /longer than 0 seconds/ });
  await assert.rejects(readShortBody(cut, 10), { code: "bad_request" });
  await assert.rejects(readShortBody(long, 10), { code: "payload_too_large" });
  assert.equal((await readShortBody(bodyOf(new Blob(["x"]).stream()), 10)).length, 1);
});
