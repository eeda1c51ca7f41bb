/** `accounts import`: accounts and keys from a table, with the same result however often it runs. */

import assert from "node:assert/strict";
import { getAccountByReference } from "../../lib/accounts/reference.ts";
import { listAccounts } from "../../lib/accounts/account.ts";
import { listKeys } from "../../lib/accounts/key.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { openFolder } from "../support/folder.ts";
import { faultyKv } from "../support/faulty_kv.ts";
import { callTool, done, json, mistake, sitDown } from "./desk.ts";

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

Deno.test("a table is imported as each spreadsheet saves it, or refused with what helps", async () => {
  await using folder = await openFolder();
  const path = `${folder.path}/members.csv`;
  const head = "name,reference,limit";
  const accepted: [table: string, ...rows: string[]][] = [
    ["sep=;\r\nName;Reference;Limit\r\nAda;s-1;4,50\r\n;;\r\n", "Ada s-1 4500000000"],
    ["Reference\tName\rs-1\tAda\r", "Ada s-1 null"],
    [`${head}\nAda,"=""007""",$4`, "Ada 007 4000000000"],
    [`${head}\n'=Ada,s-1,4 USD\n`, "=Ada s-1 4000000000"],
    [`${head}\nAda,s-1,"0,5"\n`, "Ada s-1 500000000"],
    [`${head},note\nA\u030Angstro\u0308m,s-1,,x`, "Ångström s-1 null"],
  ];
  for (const [table, ...rows] of accepted) {
    using desk = await sitDown();
    await Deno.writeTextFile(path, table);
    await done(desk.accounts("import", path));
    const accounts = await Array.fromAsync(listAccounts(desk.kv));
    const found = accounts.map((each) => `${each.name} ${each.reference} ${each.limitNanoUsd}`);
    assert.deepEqual(found, rows, JSON.stringify(table));
  }
  const refused: [table: string, mistake: RegExp][] = [
    [head, /the table has no row below its head/],
    [`${head}\n,,\n`, /the table has no row below its head/],
    ["name,reference,Reference\nAda,s-1,s-2", /the column “reference” is named twice/],
    [`${head}\nLovelace, Ada,s-1,4`, /line 2: it has more cells .* into double quotes/],
    [`${head}\nAda,s-1,"1,234.50"`, /line 2: the limit “1,234.50” .* separators of thousands/],
    [`${head}\nAda,s-1,"1,234"`, /line 2: the limit “1,234” is not/],
    [`${head}\nAda,s-1,€4`, /line 2: the limit “€4” is not an amount of US dollars/],
    [`${head}\nAda,"1,23E+11",4`, /line 2: .* has shortened; format the column as text/],
    [`${head}\nAda,s-1,4\n"Ben,s-2,4\nCat,s-3,4`, /line 3: a quote is opened/],
    [`${head}\n${"Ada,s-1,4\n".repeat(20_001)}`, /more than 20000 rows; import it in several/],
    ["PK\u0003\u0004", /is a workbook, and not CSV/],
  ];
  using desk = await sitDown();
  for (const [table, expected] of refused) {
    await Deno.writeTextFile(path, table);
    assert.match(await mistake(desk.accounts("import", path), 1), expected, table.slice(0, 80));
  }
  assert.deepEqual(await Array.fromAsync(listAccounts(desk.kv)), []);
});

Deno.test("an import that fails midway has reported every key that works, and does the rest when it is run again", async () => {
  await using folder = await openFolder();
  using desk = await sitDown();
  const [path, keys] = [`${folder.path}/members.csv`, `${folder.path}/keys.jsonl`];
  const lines = Array.from({ length: 60 }, (_, at) => `Member ${at},s-${at}`);
  await Deno.writeTextFile(path, ["name,reference", ...lines].join("\n"));
  let commits = 0;
  // A commit whose answer is lost may have made a key.
  const kv = faultyKv(
    desk.kv,
    ({ kind }) => kind === "commit" && ++commits === 70 ? "lose answer" : "work",
  );
  const place = { ...desk, kv, config: parseConfig({}) };
  const first = await callTool("accounts", ["import", path, "--keys", keys], place);
  assert.equal(first.code, 1);
  assert.match(first.err, /stopped after \d+ of 60 rows: .* does what is left/);
  const textsIn = async (file: string) =>
    (await Deno.readTextFile(file)).trim().split("\n").map((line) => JSON.parse(line).key);
  const told = await textsIn(keys);
  const more = `${folder.path}/more.jsonl`;
  await done(desk.accounts("import", path, "--keys", more));
  told.push(...await textsIn(more));
  const stored: string[] = [];
  for await (const { id } of listAccounts(desk.kv)) {
    const listed = await listKeys(desk.kv, id);
    assert.equal(listed.length, 1, "each account has one key");
    stored.push(...listed.map((key) => key.id));
  }
  assert.equal(stored.length, 60);
  const missing = stored.filter((id) => !told.some((text) => text.includes(id)));
  assert.deepEqual(missing, [], "no key works that was not told");
});
