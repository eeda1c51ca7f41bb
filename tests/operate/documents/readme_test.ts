/** The README: its sample response is that of `deno task dev`, and it stays a front page. */

import assert from "node:assert/strict";
import { sampleRecords } from "../../../lib/sandbox/sample.ts";
import { startFoyer } from "../../support/foyer.ts";

const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));

Deno.test("the README's sample event is one of the sample, with values that it has", async () => {
  const [, path = "", json = ""] =
    /curl -s http:\/\/localhost:8000(\S+)\n+```json\n([^]*?)```/.exec(readme) ?? [];
  const { data: shown } = JSON.parse(json);
  const records = sampleRecords().filter(({ id }) => id === shown.id);
  await using foyer = await startFoyer({ records });
  const response = await foyer.get(path);
  const { data } = await response.json();
  assert.equal(response.status, 200);
  for (const [name, value] of Object.entries(shown)) assert.deepEqual(data[name], value, name);
});

Deno.test("the README has at most 120 lines", () => {
  assert.ok(readme.trimEnd().split("\n").length <= 120);
});
