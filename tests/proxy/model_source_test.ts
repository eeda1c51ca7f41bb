/** The sources of model lists: pages of any length, names of a family, aliases. */

import assert from "node:assert/strict";
import { readDecisionModels, readModels } from "../../lib/proxy/model_source.ts";

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

Deno.test("both aliases are there with the newest date, whether the provider lists them or not", async () => {
  const versions = [
    { name: "jev-1.13.0", release_date: "2026-08-01" },
    { name: "jev-1.14.0", release_date: "2026-10-01" },
  ];
  const preview = { name: "jev-preview", description: "its own", release_date: "2026-10-01" };
  for (const models of [versions, [...versions, preview]]) {
    const fetch = () => Promise.resolve(Response.json({ models }));
    const address = { fetch, url: "http://provider.example/v1/models", name: "it" };
    const listed = await readDecisionModels({ ...address, apiKey: undefined }, "jev");
    const byName = new Map(listed.map((model) => [model.name, model]));
    assert.deepEqual([...byName.keys()].sort(), [
      "decision-1.13.0",
      "decision-1.14.0",
      "decision-latest",
      "decision-preview",
    ]);
    assert.equal(listed.length, 4);
    for (const alias of ["decision-latest", "decision-preview"]) {
      assert.equal(byName.get(alias)?.["release_date"], "2026-10-01");
    }
    if (models.length === 3) {
      assert.equal(byName.get("decision-preview")?.["description"], "its own");
    }
  }
});
