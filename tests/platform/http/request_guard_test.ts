/**
 * The guard: a request that the runtime cannot route, or would handle itself, gets the same responses as every other.
 */

import assert from "node:assert/strict";
import { type Foyer, row, startFoyer } from "../../support/foyer.ts";

async function answer(foyer: Foyer, path: string, method: string) {
  const headers = { accept: "text/html" };
  const { status, headers: fields, ...response } = await foyer.get(path, { method, headers })
    .then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
  const id = fields.get("x-request-id") ?? "";
  const named = ["location", "allow", "content-type", "content-security-policy", "link"];
  return [status, named.map((name) => fields.get(name)), response.text.replaceAll(id, "")];
}

Deno.test("a runtime's own parameters change no answer", async () => {
  await using foyer = await startFoyer({ records: [row({ "Name": "Tea" })] });
  for (const path of ["/", "/events/tea", "/docs/versioning", "/docs", "/nothing", "/up"]) {
    for (const method of ["GET", "POST"]) {
      const expected = await answer(foyer, path, method);
      for (const query of ["fresh-partial=true", "fresh%2Dpartial", "__frsh_c=x"]) {
        const asked = await answer(foyer, `${path}?${query}`, method);
        assert.deepEqual(asked, expected, `${method} ${path}?${query}`);
      }
    }
  }
});
