/** Leaked keys: any visitor and GitHub's secret scanning may revoke them. */

import assert from "node:assert/strict";
import { getKey } from "../../lib/accounts/key.ts";
import { createKeyText } from "../../lib/accounts/key_text.ts";
import { createSecretScanningStandIn } from "../../lib/sandbox/secret_scanning.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { PATHS, SEARCH } from "../proxy/door.ts";

const REPORT = "/keys/leaked";
const HOOK = "/hooks/secret-scanning";
const JSON_TYPE = { "content-type": "application/json" };

const report = (foyer: Foyer, key: unknown) =>
  foyer.answer(REPORT, { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ key }) });

Deno.test("a pasted key is revoked within five seconds, its owner sees when, and the response reveals nothing", async () => {
  await using foyer = await startFoyer();
  const { key, keyId } = await foyer.createMember();
  const other = await foyer.createMember();
  await (await foyer.post(PATHS.search, key, SEARCH)).body?.cancel();
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
  assert.deepEqual(noted?.leak, { at: foyer.clock.now - 5_000, by: "visitor", url: null });
  const good = await foyer.post(PATHS.search, other.key, SEARCH);
  assert.equal(good.status, 200);
  await good.body?.cancel();
  const warnings = foyer.lines.filter(({ message }) => message.includes("leaked"));
  assert.equal(warnings.length, 2, "one for each report of the key");
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

Deno.test("a flood of reports reads the database 20 times a second, and a wrong checksum costs no read", async () => {
  await using foyer = await startFoyer();
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => (await report(foyer, createKeyText().text)).status),
  );
  assert.equal(statuses.filter((status) => status === 503).length, 20);
  assert.equal((await report(foyer, "foyer_nonsense")).status, 200);
  foyer.clock.now += 1_000;
  assert.equal((await report(foyer, createKeyText().text)).status, 200);
});

Deno.test("GitHub's signed message revokes the keys in it and gets labels; any other is 401 and does nothing", async () => {
  const github = await createSecretScanningStandIn();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, github.fetch);
  const env = { SECRET_SCANNING_KEYS_URL: `http://127.0.0.1:${server.addr.port}/keys` };
  try {
    await using foyer = await startFoyer({ env });
    const { key, keyId } = await foyer.createMember();
    const stranger = createKeyText().text;
    const url = "https://github.com/octocat/hello/blob/1/config.py";
    const found = [
      { token: key, type: "foyer_key", url, source: "content" },
      { token: stranger, type: "foyer_key", url: "" },
    ];
    const post = (init: { headers: Record<string, string>; body: string }) =>
      foyer.answer(HOOK, { method: "POST", ...init });
    const signed = await github.sign(JSON.stringify(found));
    const { "github-public-key-signature": signature = "" } = signed.headers;
    const forged: { headers: Record<string, string>; body: string }[] = [
      { ...signed, body: `${signed.body} ` },
      { ...signed, headers: JSON_TYPE },
      { ...signed, headers: { ...signed.headers, "github-public-key-signature": "AAAA" } },
      { ...signed, headers: { ...signed.headers, "github-public-key-signature": "no base64!" } },
      { ...signed, headers: { ...signed.headers, "github-public-key-identifier": "other" } },
      { body: "[]", headers: { ...signed.headers, "github-public-key-signature": signature } },
    ];
    for (const message of forged) {
      assert.equal((await post(message)).status, 401, JSON.stringify(message.headers));
    }
    assert.equal((await getKey(foyer.kv, keyId))?.revoked, false);
    assert.equal(github.reads(), 1, "unknown ids do not make it read the keys again and again");

    const labels = await (await post(signed)).json();
    assert.deepEqual(labels.map(({ label }: { label: string }) => label), [
      "true_positive",
      "false_positive",
    ]);
    assert.doesNotMatch(JSON.stringify(labels), new RegExp(key.slice(20)));
    const at = foyer.clock.now;
    assert.deepEqual((await getKey(foyer.kv, keyId))?.leak, { at, by: "github", url });
    foyer.clock.now += 60_000;
    // A replay changes nothing.
    assert.equal((await post(signed)).status, 200);
    assert.equal((await getKey(foyer.kv, keyId))?.leak?.at, at);

    await github.rotate();
    foyer.clock.now += 61_000;
    assert.equal((await post(await github.sign("[]"))).status, 200, "new keys are read");
    assert.equal((await post(await github.sign("{}"))).status, 422);
  } finally {
    await server.shutdown();
  }
  await using cut = await startFoyer({ env });
  for (const moment of ["the first message", "one soon after it"]) {
    const answer = await cut.answer(HOOK, { method: "POST", ...await github.sign("[]") });
    assert.equal(answer.status, 502, `${moment} cannot be judged without GitHub's keys`);
  }
  await using without = await startFoyer();
  assert.equal((await without.answer(HOOK, { method: "POST", body: "[]" })).status, 404);
});

Deno.test("new keys begin with KEY_PREFIX, and keys with another prefix still work", async () => {
  await using foyer = await startFoyer({ env: { KEY_PREFIX: "acme" } });
  const { key } = await foyer.createMember();
  assert.match(key, /^foyer_/);
  const { text } = createKeyText(undefined, "acme");
  assert.match(text, /^acme_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
  const good = await foyer.post(PATHS.search, key, SEARCH);
  assert.equal(good.status, 200);
  await good.body?.cancel();
  const unknown = await foyer.post(PATHS.search, text, SEARCH);
  assert.match((await unknown.json()).message, /is unknown/);
});
