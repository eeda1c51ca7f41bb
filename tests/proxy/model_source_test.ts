/** A list of models that comes in pages, whatever their length. */

import assert from "node:assert/strict";
import { readModels } from "../../lib/proxy/model_source.ts";

const MODELS = Array.from({ length: 7 }, (_, index) => ({ id: `maker/model-${index}` }));

/** A router that never sends more than `cap` models at once. */
function pagedRouter(cap: number) {
  const asked: string[] = [];
  const answer: typeof fetch = (input) => {
    const url = new URL(String(input));
    asked.push(url.search);
    const offset = Number(url.searchParams.get("offset") ?? 0);
    const data = MODELS.slice(offset, offset + cap);
    return Promise.resolve(Response.json({ data, total_count: MODELS.length }));
  };
  return { asked, address: { fetch: answer, url: "http://router.example/models", name: "it" } };
}

Deno.test("a list is read to its end, page by page, and no page too many", async () => {
  for (const [cap, pages] of [[2, 4], [3, 3], [7, 1], [100, 1]] as const) {
    const { asked, address } = pagedRouter(cap);
    assert.deepEqual(await readModels({ ...address, apiKey: undefined }), MODELS, `${cap} at once`);
    assert.equal(asked.length, pages, `${cap} at once`);
  }
});
