/** `accounts import`: accounts and keys from a table, with the same result however often it runs. */

import assert from "node:assert/strict";
import { getAccountByReference } from "../../lib/proxy/accounts/reference.ts";
import { listAccounts } from "../../lib/proxy/accounts/account.ts";
import { listKeys } from "../../lib/proxy/accounts/key.ts";
import { openFolder } from "../support/folder.ts";
import { done, json, mistake, sitDown } from "./desk.ts";

const TABLE = `name,reference,limit\r
Ada Lovelace,s-1,2\r
"Hopper, Grace",s-2,\r
"The ""third"" one",s-3,0.5\r
`;

Deno.test("import makes accounts and keys once, however often it runs, and changes limits", async () => {
  await using folder = await openFolder();
  using desk = await sitDown();
  const [path, keys] = [`${folder.path}/members.csv`, `${folder.path}/keys.jsonl`];
  await Deno.writeTextFile(path, TABLE);
  const dry = await json(desk.accounts("import", path, "--dry-run", "--keys", keys, "--json"));
  assert.deepEqual(dry, { created: 3, changed: 0, unchanged: 0, keys: 0, isDryRun: true });
  assert.equal((await Array.fromAsync(listAccounts(desk.kv))).length, 0);
  const first = await done(desk.accounts("import", path, "--keys", keys));
  assert.match(first, /Created 3 accounts; limit changed: 0; unchanged: 0\. 3 keys written to /);
  const written: { name: string; reference: string; account: string; key: string }[] =
    (await Deno.readTextFile(keys)).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    written.map(({ name, reference }) => `${reference} ${name}`).sort(),
    ["s-1 Ada Lovelace", "s-2 Hopper, Grace", 's-3 The "third" one'],
  );
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(keys)).mode! & 0o777, 0o600);
  const guard = desk.authenticator();
  for (const { account, key } of written) {
    const headers = new Headers({ authorization: `Bearer ${key}` });
    assert.equal((await guard.authenticate(headers)).account.id, account);
  }
  const twice = await mistake(desk.accounts("import", path, "--keys", keys), 1);
  assert.match(twice, /it exists already/);

  await Deno.writeTextFile(path, `${TABLE.replace("s-1,2", "s-1,3")}New,s-4,\n`);
  const more = ["import", path, "--keys", `${folder.path}/more.jsonl`, "--json"];
  const again = await json(desk.accounts(...more));
  assert.deepEqual(again, { created: 1, changed: 1, unchanged: 2, keys: 1, isDryRun: false });
  const ada = await getAccountByReference(desk.kv, "s-1");
  assert.equal(ada?.limitNanoUsd, 3_000_000_000n);
  assert.equal((await listKeys(desk.kv, ada?.id ?? "")).length, 1);
  assert.equal((await Array.fromAsync(listAccounts(desk.kv))).length, 4);
  const shown = await json(desk.accounts("show", "s-2", "--json"));
  assert.deepEqual([shown.name, shown.reference], ["Hopper, Grace", "s-2"]);
});

Deno.test("import tells each mistake by its line and does nothing", async () => {
  await using folder = await openFolder();
  using desk = await sitDown();
  const path = `${folder.path}/members.csv`;
  const wrong = 'Reference,Name,Limit\n1,Ada,two\n"a\nb",x,\n1,\u0007,\n,Bob,1\n';
  await Deno.writeTextFile(path, wrong);
  const told = await mistake(desk.accounts("import", path), 1);
  for (
    const part of [
      /line 2: the limit “two” is not an amount/,
      /line 3: the reference has a character/,
      /line 5: the name has a character that cannot be printed/,
      /line 5: line 2 has the reference “1” too/,
      /line 6: the reference is empty/,
    ]
  ) assert.match(told, part);
  assert.equal((await Array.fromAsync(listAccounts(desk.kv))).length, 0);
  await Deno.writeTextFile(path, "id,limit\n1,2\n");
  assert.match(await mistake(desk.accounts("import", path), 1), /must name the columns/);
  assert.match(await mistake(desk.accounts("import", `${folder.path}/none`), 1), /cannot be read/);
});
