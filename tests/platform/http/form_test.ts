/** Which forms count as the site's own, and how long their bodies may take. */

import assert from "node:assert/strict";
import { readShortBody } from "../../../lib/platform/http/body.ts";
import { isSameOrigin } from "../../../lib/platform/http/form.ts";

Deno.test("a form belongs to this site if the browser says so, or if no browser sent it", () => {
  const ours = "https://foyer.example";
  const table: [site: string | null, origin: string | null, isOurs: boolean][] = [
    ["same-origin", ours, true],
    ["same-origin", null, true],
    ["none", null, true],
    [null, ours, true],
    [null, null, true],
    ["same-site", "https://evil.foyer.example", false],
    ["cross-site", "https://evil.example", false],
    ["cross-site", "null", false],
    ["cross-site", null, false],
    ["same-site", null, false],
    ["", null, false],
    ["SAME-ORIGIN", null, false],
    [null, "https://evil.example", false],
    [null, "http://foyer.example", false],
    [null, "https://foyer.example:444", false],
    [null, "https://foyer.example.evil.example", false],
    [null, "null", false],
    // A proxy in front may show the browser another origin than the service has.
    ["cross-site", ours, true],
  ];
  for (const [site, origin, isOurs] of table) {
    const headers = new Headers({
      ...site !== null && { "sec-fetch-site": site },
      ...origin !== null && { origin },
    });
    assert.equal(isSameOrigin(headers, ours), isOurs, `${site} ${origin}`);
  }
});

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
