/** `deno task accounts`: creates accounts, shows them, sets their limits, bans and verifies them. */

import {
  type Account,
  type AccountChange,
  createAccount,
  dayOf,
  findNameFault,
  listAccounts,
  listKeys,
  readDayBook,
  updateAccount,
} from "../lib/accounts/mod.ts";
import {
  formatLimit,
  renderAccount,
  renderAccounts,
  toAccountJson,
  toDayJson,
} from "./account_view.ts";
import { byAge, findAccount, listNamesakes } from "./find.ts";
import { toKeyJson, withLastUses } from "./key_view.ts";
import { Mistake } from "./mistake.ts";
import { runProcess } from "./process.ts";
import type { Command, Result, Tool, Workplace } from "./tool.ts";
import { readAmount } from "./values.ts";

const create: Command = {
  summary: "Creates an account, verified unless told otherwise.",
  parameters: ["NAME"],
  options: {
    limit: { value: "USD", summary: "what it may spend in a UTC day (default: DAILY_LIMIT_USD)" },
    unverified: { value: null, summary: "its requests are refused until `accounts verify`" },
  },
  examples: [
    ['create "Weather bot"', "an account with the default limit"],
    ["create demo --limit 0.50 --unverified", "fifty cents a day, once it is verified"],
    ["create demo --json | jq -r .id", "only the id, for a script"],
  ],
  async run(given, { kv, now, config }) {
    const name = given.argument("NAME");
    const fault = findNameFault(name);
    if (fault !== null) throw new Mistake(`the name ${fault}; expected one such as "Weather bot"`);
    const limit = given.option("limit");
    const limitNanoUsd = limit === null ? null : readAmount(limit);
    const verified = !given.has("unverified");
    const namesakes = await listNamesakes(kv, name);
    const account = await createAccount(kv, { name, limitNanoUsd, verified }, now());
    const hint = `deno task keys create ${account.id}`;
    return {
      json: toAccountJson(account, config.DAILY_LIMIT_USD),
      text: `Created the account ${account.id} (${name}).\nIts first key: ${hint}`,
      notes: namesakes.length === 0
        ? []
        : [`${namesakes.length + 1} accounts now have this name; use their ids.`],
    };
  },
};

const list: Command = {
  summary: "Lists all accounts, the oldest first.",
  parameters: [],
  options: {},
  examples: [
    ["list", "a table"],
    ["list --json | jq '.[] | select(.banned)'", "the banned ones"],
  ],
  async run(_given, { kv, config }) {
    const accounts = await Array.fromAsync(listAccounts(kv));
    accounts.sort(byAge);
    return {
      json: accounts.map((account) => toAccountJson(account, config.DAILY_LIMIT_USD)),
      text: renderAccounts(accounts, config.DAILY_LIMIT_USD),
    };
  },
};

const show: Command = {
  summary: "Shows an account: its state, limit, spending of today (UTC) and keys.",
  parameters: ["ACCOUNT"],
  options: {},
  examples: [
    ["show acc_5vKkU1GmWq2c", "by its id"],
    ['show "Weather bot"', "by its name, if no other account has it"],
  ],
  async run(given, { kv, now, config }) {
    const account = await findAccount(kv, given.argument("ACCOUNT"));
    const keys = await withLastUses(kv, await listKeys(kv, account.id));
    const today = await readDayBook(kv, account.id, dayOf(now()));
    return {
      json: {
        ...toAccountJson(account, config.DAILY_LIMIT_USD),
        today: toDayJson(today),
        keys: keys.map((key) => toKeyJson(key, now())),
      },
      text: renderAccount(account, today, keys, config.DAILY_LIMIT_USD, now()),
    };
  },
};

const limit: Command = {
  summary: "Sets what an account may spend in a UTC day.",
  parameters: ["ACCOUNT", "USD|default"],
  options: {},
  examples: [
    ["limit acc_5vKkU1GmWq2c 10", "ten dollars a day"],
    ["limit acc_5vKkU1GmWq2c default", "whatever DAILY_LIMIT_USD says, now and later"],
  ],
  async run(given, place) {
    const amount = given.argument("USD|default");
    const limitNanoUsd = amount === "default" ? null : readAmount(amount);
    return await change(given.argument("ACCOUNT"), { limitNanoUsd }, place, (account) => {
      return `may spend ${formatLimit(account, place.config.DAILY_LIMIT_USD)} a day`;
    });
  },
};

/** A command that sets one field of an account. */
function flagCommand(
  name: string,
  summary: string,
  fields: AccountChange,
  outcome: string,
): Command {
  return {
    summary,
    parameters: ["ACCOUNT"],
    options: {},
    examples: [[`${name} acc_5vKkU1GmWq2c`, "by its id, or by its name if no other has it"]],
    run: (given, place) => change(given.argument("ACCOUNT"), fields, place, () => outcome),
  };
}

async function change(
  idOrName: string,
  fields: AccountChange,
  { kv, config }: Workplace,
  say: (account: Account) => string,
): Promise<Result> {
  const { id } = await findAccount(kv, idOrName);
  const account = await updateAccount(kv, id, fields);
  if (account === null) throw new Mistake(`the account ${id} is gone`, 1);
  return {
    json: toAccountJson(account, config.DAILY_LIMIT_USD),
    text: `The account ${id} (${account.name}) ${say(account)}.`,
  };
}

/** The tool. */
export const tool: Tool = {
  name: "accounts",
  summary: "Accounts: who may use the proxy, and how much they may spend in a day.",
  commands: {
    create,
    list,
    show,
    limit,
    ban: flagCommand(
      "ban",
      "Bans an account: within five seconds every request of it is refused.",
      { banned: true },
      "is banned; its requests are refused within five seconds",
    ),
    unban: flagCommand("unban", "Lifts a ban.", { banned: false }, "is not banned"),
    verify: flagCommand(
      "verify",
      "Says that the identity of an account's owner was checked.",
      { verified: true },
      "is verified",
    ),
    unverify: flagCommand(
      "unverify",
      "Takes the verification back; requests are refused until it is given.",
      { verified: false },
      "is not verified; its requests are refused within five seconds",
    ),
  },
};

if (import.meta.main) await runProcess(tool);
