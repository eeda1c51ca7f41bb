/** The program: its help, and one sentence about each call that is not understood, with a remedy. */

import assert from "node:assert/strict";
import { done, json, mistake, sitDown } from "./desk.ts";

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

Deno.test("a call that is not understood, or cannot be done, is one sentence with a remedy, and changes nothing", async () => {
  using desk = await sitDown();
  const { id } = await json(desk.accounts("create", "x", "--json"));
  const { id: key } = await json(desk.keys("create", id, "--json"));
  const { id: gone } = await json(desk.accounts("create", "gone", "--json"));
  await done(desk.accounts("delete", gone, "--yes"));
  const notUnderstood: [call: string[], said: RegExp][] = [
    [["accounts", "baan", "x"], /^error: unknown command 'baan'\n\(Did you mean ban\?\)$/],
    [["accounts", "destroy"], /unknown command 'destroy'$/],
    [["accounts", "create"], /missing required argument 'name'/],
    [["accounts", "create", "Weather", "bot"], /too many arguments for 'create'/],
    [["accounts", "create", "y", "--limt", "4"], /'--limt'\n\(Did you mean --limit\?\)$/],
    [["accounts", "create", "y", "--limit"], /option '--limit <usd>' argument missing/],
    [["accounts", "create", "y", "--limit", "-4"], /'-4' is invalid\. Give US dollars from 0/],
    [["accounts", "create", "y", "--why", "a\u0007"], /option '--why <text>' argument/],
    ...["four", "$4", "0,50", "", "-5.5"].map((amount): [string[], RegExp] => [
      ["accounts", "limit", "x", "--", amount],
      /Give US dollars from 0, such as 4 or 0\.50/,
    ]),
    [["accounts", "limit", "x", "default", "--until", "1d"], /the default has no end/],
    [["accounts", "limit", "x", "2", "--until", "2020-01-01"], /not in the future/],
    [["accounts", "create", ""], /the account's name is empty/],
    ...["a\nb", "a\x1b[31mb", "a\u202eb", "a\u2028b", "\ud800"].map((name): [string[], RegExp] => [
      ["accounts", "create", name],
      /the account's name has a character that cannot be printed/,
    ]),
    ...["  ", " a", "a ", "x".repeat(101)].map((name): [string[], RegExp] => [
      ["accounts", "create", name],
      /the account's name /,
    ]),
    [["accounts", "create", "acc_000000000000"], /name has the form of an account's id/],
    [["accounts", "ban", "x", "--reason", "a\u0007"], /the reason has a character/],
    ...["soon", "h", "90", "-1d", "12345d", "2027-02-30", "2027-01-31T12:00"].map(
      (text): [string[], RegExp] => [
        ["keys", "create", "x", "--expires", text],
        RegExp(`“${text}” is not a time; give a duration such as 30m, 12h, 90d or 2w, or`),
      ],
    ),
    [["keys", "create", "x", "--expires", "0d"], /not in the future: it is now 2026-11-21 12:00/],
    [["keys", "create", "x", "--name", " "], /the key's label is empty/],
    [["keys", "limit", key, "-1"], /-1/],
    [["keys", "endpoints", key, "serch"], /“serch”; give some of search,/],
    [["keys", "rotate", key, "--overlap", "tomorrow"], /Give a duration such as 30m, 12h, 90d/],
    [["usage", "--by", "modle"], /choices are account, endpoint, key, model, day, status/],
    [["usage", "--day", "2026-02-30"], /'2026-02-30' is invalid\. Give a day such as 2026-11-21/],
    [["usage", "--day", "today", "--from", "2026-11-01"], /'--day <day>' cannot be used with/],
    [["usage", "--from", "2026-11-22"], /--from 2026-11-22 is after --to 2026-11-21/],
    [["usage", "--source", "clickhose"], /Allowed choices are books, clickhouse/],
    [["usage", "november"], /too many arguments/],
    [["requests"], /required option '--account <account>' not specified/],
    [["requests", "--account", "x", "--since", "y"], /Give a duration/],
    [["requests", "--account", "x", "--since", "101d"], /100 days/],
    [["record", "--since", "2027-01-01"], /not in the past/],
    [["analytics", "fill", "--from", "2026-11-22"], /--from 2026-11-22 is after/],
  ];
  const noAccount = /no account has the id or name .*`deno task accounts list <word>`/;
  const impossible: [call: string[], said: RegExp][] = [
    [["accounts", "show", "nobody"], noAccount],
    [["accounts", "limit", "y".repeat(5_000), "1"], noAccount],
    [["keys", "create", "nobody"], noAccount],
    [["keys", "create", gone], /the account acc_\w+ is deleted$/],
    [["accounts", "limit", gone, "3"], /the account acc_\w+ is deleted$/],
    [["usage", "--account", "nobody"], noAccount],
    [["keys", "show", "000000000000"], /no key has the id “000000000000”; `deno task keys list /],
    [["keys", "revoke", "nonsense"], /that is not a key's id; expected/],
    [["usage", "--source", "clickhouse"], /ANALYTICS_URL is not set; set it to/],
    [["analytics", "migrate"], /ANALYTICS_URL is not set; set it to/],
  ];
  const before = await done(desk.call("record"));
  for (const [code, calls] of [[2, notUnderstood], [1, impossible]] as const) {
    for (const [call, said] of calls) {
      const sentence = await mistake(desk.call(...call), code);
      assert.match(sentence, said);
      assert.ok(!sentence.includes("\u0007"), "nothing that a terminal interprets");
    }
  }
  assert.equal(await done(desk.call("record")), before);
});

Deno.test("no database is opened for help, nor for a call that is not understood", async () => {
  using desk = await sitDown();
  desk.kv.close();
  try {
    assert.equal((await desk.accounts("--help")).code, 0);
    assert.equal((await desk.accounts("list", "x", "y")).code, 2);
    assert.match(await mistake(desk.accounts("list"), 1), /closed|Bad resource/i);
  } finally {
    Object.defineProperty(desk.kv, "close", { value: () => {} });
  }
});
