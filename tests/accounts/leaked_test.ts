/** Leaked keys: any visitor may revoke them. */

import assert from "node:assert/strict";
import { getKey } from "../../lib/accounts/key.ts";
import { createKeyText } from "../../lib/accounts/key_text.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { ask, PATHS, SEARCH } from "../proxy/proxy.ts";

const REPORT = "/keys/leaked";
const JSON_TYPE = { "content-type": "application/json" };

const report = (foyer: Foyer, key: unknown) =>
  foyer.answer(REPORT, { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ key }) });

Deno.test("a pasted key is revoked within five seconds, its owner sees when, and the response reveals nothing", async () => {
  await using foyer = await startFoyer();
  const { key, keyId } = await foyer.createMember();
  const other = await foyer.createMember();
  await ask(foyer, key);
  const wrongSecret = createKeyText().text;
  const texts = [wrongSecret, `${key.slice(0, -1)}~`, "nonsense", "", key, key];
  const answers: string[] = [];
  for (const text of texts) {
    const answer = await report(foyer, text);
    answers.push(`${answer.status} ${answer.headers.get("cache-control")} ${await answer.text()}`);
  }
  assert.deepEqual(new Set(answers), new Set(['200 no-store {"data":{"received":true}}']));
  foyer.clock.now += 5_000;
  const refused = await foyer.post(PATHS.search, key, SEARCH);
  assert.equal(refused.status, 401);
  assert.match((await refused.json()).message, /reported as leaked/);
  const noted = await getKey(foyer.kv, keyId);
  assert.deepEqual(noted?.leak, { at: foyer.clock.now - 5_000 });
  assert.equal((await ask(foyer, other.key)).status, 200);
  const warnings = foyer.lines.filter(({ message }) => message.includes("leaked"));
  assert.equal(warnings.length, 1, "a repeated report is no news");
  assert.doesNotMatch(Deno.inspect(foyer.lines, { depth: 9 }), new RegExp(key));

  assert.equal((await report(foyer, 7)).status, 400);
  const page = await foyer.get(REPORT, { headers: { accept: "text/html" } });
  assert.match(await page.text(), /<form[^>]* method="post" action="\/keys\/leaked"/);
  const form = await foyer.answer(REPORT, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key: ` ${other.key} ` }).toString(),
  });
  assert.deepEqual([form.status, form.headers.get("location")], [303, `${REPORT}#what-happens`]);
  assert.equal((await getKey(foyer.kv, other.keyId))?.revoked, true);
});

Deno.test("any number of made-up keys keeps no true report out, and a wrong checksum costs no read", async () => {
  let reads = 0;
  await using foyer = await startFoyer({
    judge({ kind }) {
      if (kind === "read") reads++;
      return "work";
    },
  });
  const { key, keyId } = await foyer.createMember();
  const before = reads;
  assert.equal((await report(foyer, `${key.slice(0, -1)}~`)).status, 200);
  assert.equal(reads, before);
  const madeUp = Array.from({ length: 40 }, () => createKeyText().text);
  const statuses = await Promise.all(
    [...madeUp, key].map(async (text) => (await report(foyer, text)).status),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal((await getKey(foyer.kv, keyId))?.revoked, true);
});
