/** A wrong token, from the start on. */

import assert from "node:assert/strict";
import { callTool } from "../commands/desk.ts";
import { startFoyer } from "../support/foyer.ts";

const SENTENCE = "AIRTABLE_TOKEN is not a valid token";

Deno.test("a wrong token is one line at the start, and `status` says the same sentence", async () => {
  await using foyer = await startFoyer({ env: { AIRTABLE_TOKEN: "patWrong.secret" } });
  await foyer.services.events.begin();
  const told = foyer.lines.filter(({ level }) => level === "error");
  assert.equal(told.length, 1);
  assert.ok(String(told[0]?.properties["reason"]).includes(SENTENCE));
  const { kv, clock, services: { config } } = foyer;
  const given = { kv, config, now: () => clock.now };
  assert.ok(Deno.inspect(await callTool("status", [], given)).includes(SENTENCE));
});
