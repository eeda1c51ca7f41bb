/** The program: its help, and one sentence about each call that is not understood, with a remedy. */

import assert from "node:assert/strict";
import { done, mistake, sitDown } from "./desk.ts";

const ACCOUNTS = ["create", "list", "show", "limit", "import", "ban", "rename", "delete"];
const KEYS = ["create", "list", "show", "limit", "endpoints", "revoke", "rotate"];

Deno.test("the help of a command names its subcommands, and each one's help has its usage and examples", async () => {
  using desk = await sitDown();
  for (const [name, subcommands] of [["accounts", ACCOUNTS], ["keys", KEYS]] as const) {
    const run = desk[name];
    const help = await done(run("--help"));
    for (const subcommand of subcommands) {
      assert.match(help, new RegExp(`^  ${subcommand}[ |].*\\S$`, "m"));
      const one = await done(run(subcommand, "--help"));
      assert.match(one, new RegExp(`^Usage: deno task foyer ${name} ${subcommand}\\b`, "m"));
      assert.match(one, new RegExp(`^Examples:\n  deno task ${name} ${subcommand}`, "m"));
    }
  }
  assert.match(await done(desk.usage("--help")), /^Usage: deno task foyer usage /m);
});

Deno.test("a call that is not understood is exit code 2 and a sentence with a hint, and opens no database", async () => {
  using desk = await sitDown();
  const mistakes: [string[], string][] = [
    [["baan", "x"], "unknown command 'baan'\n(Did you mean ban?)"],
    [["destroy"], "unknown command 'destroy'"],
    [["create"], "missing required argument 'name'"],
    [["create", "Weather", "bot"], "too many arguments for 'create'"],
    [["create", "x", "--limt", "4"], "unknown option '--limt'\n(Did you mean --limit?)"],
    [["create", "x", "--limit"], "option '--limit <usd>' argument missing"],
    [["create", "x", "--limit", "-4"], "option '--limit <usd>' argument '-4' is invalid. Give US"],
    [["create", "x", "--why", "a\u0007"], "option '--why <text>' argument"],
  ];
  for (const [args, sentence] of mistakes) {
    const said = await mistake(desk.accounts(...args), 2);
    assert.ok(said.startsWith(`error: ${sentence}`), `${said}\n!== ${sentence}`);
    assert.ok(!said.includes("\u0007"), "nothing that a terminal interprets");
  }
  assert.equal((await desk.accounts("list", "--json")).out, "[]\n", "and nothing was stored");
  desk.kv.close();
  try {
    assert.equal((await desk.accounts("--help")).code, 0);
    assert.equal((await desk.accounts("list", "x", "y")).code, 2);
    assert.match(await mistake(desk.accounts("list"), 1), /closed|Bad resource/i);
  } finally {
    Object.defineProperty(desk.kv, "close", { value: () => {} });
  }
});

Deno.test("an amount or a name that is wrong is exit code 2, and names what would be right", async () => {
  using desk = await sitDown();
  const mistakes: [string[], RegExp][] = [
    ...["four", "$4", "0,50", "", "-5.5"].map((amount): [string[], RegExp] => [
      ["limit", "x", "--", amount],
      /Give US dollars from 0, such as 4 or 0\.50/,
    ]),
    [["create", ""], /the account's name is empty/],
    [["create", "a\nb"], /the account's name has a character that cannot be printed/],
    [["create", "acc_000000000000"], /the account's name has the form of an account's id/],
    [["ban", "x", "--reason", "a\u0007"], /the reason has a character that cannot be printed/],
  ];
  await done(desk.accounts("create", "x"));
  for (const [args, sentence] of mistakes) {
    assert.match(await mistake(desk.accounts(...args), 2), sentence);
  }
});
