/** The arguments of commands: help, and one sentence about each mistake, with a remedy. */

import assert from "node:assert/strict";
import { done, mistake, sitDown } from "./desk.ts";

const ACCOUNTS = ["create", "list", "show", "limit", "ban", "unban", "verify", "unverify"];
const KEYS = ["create", "list", "show", "revoke", "rotate"];

Deno.test("the help of a tool names every command, and each command's help has its usage and examples", async () => {
  using desk = await sitDown();
  for (const [tool, commands] of [["accounts", ACCOUNTS], ["keys", KEYS]] as const) {
    const run = desk[tool];
    const calls = [["--help"], ["-h"], ["help"], ["--json", "--help"]];
    const [help, ...others] = await Promise.all(calls.map((args) => run(...args)));
    for (const other of others) assert.deepEqual(other, help);
    assert.ok(help);
    assert.deepEqual([help.code, help.err], [0, ""]);
    for (const command of commands) {
      assert.match(help.out, new RegExp(`^  ${command} .*[.]$`, "m"));
      const one = await run(command, "--help");
      assert.deepEqual([one.code, one.err], [0, ""]);
      assert.match(one.out, new RegExp(`^Usage: deno task ${tool} ${command}\\b`, "m"));
      assert.match(one.out, new RegExp(`^Examples:\n  # .*\n  deno task ${tool} ${command}`, "m"));
      assert.deepEqual(await run("help", command), one);
      assert.deepEqual(await run(command, "too", "many", "things", "-h"), one);
      for (const line of one.out.split("\n")) assert.ok(line.length <= 100, line);
    }
    for (const line of help.out.split("\n")) assert.ok(line.length <= 100, line);
  }
});

Deno.test("a call that is not understood is exit code 2 and one sentence with a hint", async () => {
  using desk = await sitDown();
  const mistakes: [string[], string][] = [
    [[], "no command given; expected one of create, list, show, limit, import, ban, unban"],
    [["--json"], "no command given; expected one of create, list"],
    [["creat", "x"], "no command creat; did you mean create?"],
    [["baan", "x"], "no command baan; did you mean ban?"],
    // As near to "list".
    [["limt", "x", "4"], "no command limt; did you mean limit?"],
    [["bin", "x"], "no command bin; did you mean ban?"],
    [["bug", "x"], "no command bug; expected one of create, list, show"],
    [["help", "shw"], "no command shw; did you mean show?"],
    [["destroy"], "no command destroy; expected one of create, list, show"],
    [["toString"], "no command toString; expected one of"],
    [["create"], "NAME is missing; write `accounts create NAME`"],
    [["limit", "x"], "USD|default is missing; write `accounts limit ACCOUNT USD|default`"],
    [["show"], "ACCOUNT is missing; write `accounts show ACCOUNT`"],
    [["create", "Weather", "bot"], "“bot” is one too many; write `accounts create NAME`"],
    [["create", "x", "--limt", "4"], "create has no option --limt; did you mean --limit?"],
    [["list", "--limit", "4"], "list has no option --limit; expected one of --json, --help"],
    [["create", "x", "-l"], "create has no option -l; expected one of --limit, --unverified"],
    [["create", "x", "--toString"], "create has no option --toString; expected"],
    [["create", "x", "--limit"], "--limit needs a value; write --limit USD"],
    [["create", "x", "--limit", "--json"], "--limit needs a value; write --limit USD"],
    [["create", "x", "--limit="], "--limit needs a value; write --limit USD"],
    [["create", "x", "--limit", "1", "--limit", "2"], "--limit is given twice"],
    [["create", "x", "--json=yes"], "--json takes no value; write --json alone"],
    [
      ["create", "x", "--limit", "-4"],
      "“-4” is not an amount; expected US dollars from 0, such as 4",
    ],
    [["limit", "x", "-5.5"], "“-5.5” is not an amount; expected US dollars from 0"],
    [["limit", "x", "four"], "“four” is not an amount"],
    [["limit", "x", "$4"], "“$4” is not an amount"],
    [["limit", "x", "0,50"], "“0,50” is not an amount"],
    [["limit", "x", ""], "“” is not an amount"],
    [["create", ""], "the name is empty; expected one such as"],
    [["create", "a\nb"], "the name has a character that cannot be printed"],
    [["create", "acc_000000000000"], "the name has the form of an account's id"],
  ];
  for (const [args, sentence] of mistakes) {
    const said = await mistake(desk.accounts(...args), 2);
    assert.ok(said.startsWith(`accounts: ${sentence}`), `${said}\n!== ${sentence}`);
  }
  assert.equal((await desk.accounts("list", "--json")).out, "[]\n", "and nothing was stored");
});

Deno.test("help is a word like any other to a tool of one command", async () => {
  using desk = await sitDown();
  assert.match(
    await mistake(desk.usage("help"), 2),
    /^usage: “help” is one too many; write `usage`/,
  );
  assert.match(await done(desk.usage("--help")), /^Usage: deno task usage /m);
});

Deno.test("any text after two dashes is an argument", async () => {
  using desk = await sitDown();
  assert.equal((await desk.accounts("create", "--json", "--", "--help")).code, 0);
  const { out } = await desk.accounts("list", "--json");
  assert.equal(JSON.parse(out)[0].name, "--help");
});

Deno.test("help and calls that are not understood open no database", async () => {
  using desk = await sitDown();
  desk.kv.close();
  try {
    assert.equal((await desk.accounts("--help")).code, 0);
    assert.equal((await desk.accounts("list", "x")).code, 2);
    assert.match(await mistake(desk.accounts("list"), 1), /closed|Bad resource/i);
  } finally {
    Object.defineProperty(desk.kv, "close", { value: () => {} });
  }
});
