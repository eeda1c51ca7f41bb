/** `deno task accounts`: creates accounts, shows them, sets their limits, bans and verifies them. */

import { isDeepStrictEqual } from "node:util";
import {
  type Account,
  type AccountChange,
  accountState,
  createAccount,
  dailyLimitOf,
  dayOf,
  EMPTY_DAY,
  findNameFault,
  listKeys,
  readDays,
  updateAccount,
} from "../lib/proxy/mod.ts";
import { type NanoUsd, toUsd } from "../lib/platform/money.ts";
import { audit } from "./audit.ts";
import { findAccount, foldName, listByAge } from "./find.ts";
import { renderKeys, toKeyJson, withLastUses } from "./keys.ts";
import { importAccounts } from "./import_accounts.ts";
import { originOf, WHY } from "./origin.ts";
import { runProcess } from "./process.ts";
import {
  type Command,
  type Given,
  Mistake,
  type Result,
  type Tool,
  type Workplace,
} from "./tool.ts";
import {
  alignColumns,
  formatAmount,
  formatDay,
  formatMoment,
  readAmount,
  readFuture,
  toDayJson,
  toIso,
} from "./values.ts";

const create: Command = {
  summary: "Creates an account, verified unless --unverified is given.",
  parameters: ["NAME"],
  options: {
    "limit USD": "what it may spend in a UTC day (default: DAILY_LIMIT_USD)",
    unverified: "refuse its requests until `accounts verify`",
    ...WHY,
  },
  examples: [
    ['create "Weather bot"', "an account with the default limit"],
    ["create demo --limit 0.50 --unverified", "fifty cents a day, once it is verified"],
    ["create demo --json | jq -r .id", "only the id, for a script"],
  ],
  async run(given, place) {
    const { kv, now, config } = place;
    const origin = originOf(given, place);
    const name = given.argument("NAME");
    const fault = findNameFault(name);
    if (fault !== null) throw new Mistake(`the name ${fault}; expected one such as "Weather bot"`);
    const limit = given.option("limit");
    const limitNanoUsd = limit === null ? null : readAmount(limit);
    const verified = !given.has("unverified");
    const known = await listByAge(kv);
    const namesakes = known.filter((account) => foldName(account.name) === foldName(name));
    const account = await createAccount(kv, { name, limitNanoUsd, verified }, origin);
    const hint = `deno task keys create ${account.id}`;
    return {
      json: toAccountJson(account, config.DAILY_LIMIT_USD, now()),
      text: `Created the account ${account.id} (${name}).\nTo create its first key: ${hint}`,
      notes: [
        ...(namesakes.length === 0 ? [] : [
          `${namesakes.length + 1} accounts now have this name, so commands need their ids: ` +
          `${[...namesakes, account].map(({ id }) => id).join(", ")}.`,
        ]),
      ],
    };
  },
};

const list: Command = {
  summary: "Lists all accounts, the oldest first.",
  examples: [
    ["list", "a table"],
    ["list --json | jq '.[] | select(.banned)'", "the banned ones"],
  ],
  async run(_given, { kv, config, now }) {
    const accounts = await listByAge(kv);
    return {
      json: accounts.map((account) => toAccountJson(account, config.DAILY_LIMIT_USD, now())),
      text: accounts.length === 0
        ? "No accounts yet: `deno task accounts create NAME` creates one."
        : alignColumns([
          ["ID", "STATE", "DAILY LIMIT", "CREATED", "NAME"],
          ...accounts.map((account) => [
            account.id,
            accountState(account),
            formatLimit(account, config.DAILY_LIMIT_USD, now()),
            formatMoment(account.createdAt),
            account.name,
          ]),
        ]).join("\n"),
    };
  },
};

const show: Command = {
  summary: "Shows an account: its state, limit, keys and today's spending (UTC).",
  parameters: ["ACCOUNT"],
  examples: [
    ["show acc_5vKkU1GmWq2c", "by its id"],
    ['show "Weather bot"', "by its name, if no other account has it"],
  ],
  async run(given, { kv, now, config }) {
    const account = await findAccount(kv, given.argument("ACCOUNT"));
    const keys = await withLastUses(kv, await listKeys(kv, account.id));
    const [today = EMPTY_DAY] = await readDays(kv, account.id, [dayOf(now())]);
    return {
      json: {
        ...toAccountJson(account, config.DAILY_LIMIT_USD, now()),
        ...account.owner && { owner: account.owner },
        today: toDayJson(today),
        keys: keys.map((key) => toKeyJson(key, now())),
      },
      text: [
        ...alignColumns([
          ["Account", account.id],
          ["Name", account.name],
          ...account.reference === undefined ? [] : [["Reference", account.reference]],
          ["State", accountState(account)],
          ...account.owner === undefined
            ? []
            : [["Signs in as", `${account.owner.subject} at ${account.owner.issuer}`]],
          ["Daily limit", formatLimit(account, config.DAILY_LIMIT_USD, now())],
          ["Today", formatDay(today)],
          ["Created", formatMoment(account.createdAt)],
        ]),
        "",
        renderKeys(keys, now()),
      ].join("\n"),
    };
  },
};

const limit: Command = {
  summary: "Sets what an account may spend in a UTC day.",
  parameters: ["ACCOUNT", "USD|default"],
  options: {
    "until WHEN": "only until then: 12h, 30d, or a date (00:00 UTC)",
    ...WHY,
  },
  examples: [
    ["limit acc_5vKkU1GmWq2c 10", "ten dollars a day"],
    ["limit acc_5vKkU1GmWq2c 20 --until 2026-12-31", "twenty dollars a day, then as before"],
    ["limit acc_5vKkU1GmWq2c default", "the value of DAILY_LIMIT_USD, now and later"],
  ],
  async run(given, place) {
    const amount = given.argument("USD|default");
    const limitNanoUsd = amount === "default" ? null : readAmount(amount);
    const when = given.option("until");
    if (when !== null && limitNanoUsd === null) {
      throw new Mistake("the default has no end; give an amount of US dollars with --until");
    }
    // A limit without an end takes the place of one with an end.
    const fields: AccountChange = when === null || limitNanoUsd === null
      ? { limitNanoUsd, grant: null }
      : { grant: { limitNanoUsd, until: readFuture(when, place.now()) } };
    const format = (account: Account) =>
      formatLimit(account, place.config.DAILY_LIMIT_USD, place.now());
    return await change(given, fields, place, (after, before) => [
      `may now spend ${format(after)} a day; its limit was ${format(before)}`,
      `could already spend ${format(after)} a day`,
    ]);
  },
};

/** A command that sets one field. */
function flagCommand(
  name: string,
  summary: string,
  fields: AccountChange,
  ...sentences: Sentences
): Command {
  return {
    summary,
    parameters: ["ACCOUNT"],
    options: WHY,
    examples: [[`${name} acc_5vKkU1GmWq2c`, "by its id, or by its name if no other has it"]],
    run: (given, place) => change(given, fields, place, () => sentences),
  };
}

/** The report of a change and of a call that changed nothing; each continues after the account's name. */
type Sentences = readonly [done: string, already: string];

/** Changes an account and reports it. */
async function change(
  given: Given,
  fields: AccountChange,
  place: Workplace,
  describe: (after: Account, before: Account) => Sentences,
): Promise<Result> {
  const { kv, config, now } = place;
  const origin = originOf(given, place);
  const before = await findAccount(kv, given.argument("ACCOUNT"));
  const after = await updateAccount(kv, before.id, fields, origin);
  if (after === null) throw new Mistake(`the account ${before.id} no longer exists`, 1);
  const name = `account ${after.id} (${after.name})`;
  const state = accountState(after);
  const [done, already] = describe(after, before);
  const isMeantToWork = fields.banned === false || fields.verified === true;
  return {
    json: toAccountJson(after, config.DAILY_LIMIT_USD, now()),
    text: isDeepStrictEqual(before, after)
      ? `Nothing changed: the ${name} ${already}.`
      : `The ${name} ${done}.`,
    notes: [
      ...isMeantToWork && state !== "active"
        ? [`its requests are still refused: the account is ${state}.`]
        : [],
      ...state === "deleted"
        ? ["its owner deleted it, and a new account of the same person is not affected."]
        : [],
    ],
  };
}

/** An account for `--json`. `limitUsd` is the limit in force: the account's own or the default. */
function toAccountJson(account: Account, defaultLimit: NanoUsd, now: number) {
  const grant = account.grant && now < account.grant.until ? account.grant : null;
  const { id, name, limitNanoUsd, banned, verified, createdAt } = account;
  return {
    id,
    name,
    reference: account.reference ?? null,
    state: accountState(account),
    banned,
    verified,
    limitUsd: toUsd(dailyLimitOf(account, defaultLimit, now)),
    limitUntil: toIso(grant?.until ?? null),
    isDefaultLimit: limitNanoUsd === null && grant === null,
    createdAt: toIso(createdAt),
  };
}

/** The limit in force, when it ends, and whether it is the default. */
function formatLimit({ limitNanoUsd, grant }: Account, defaultLimit: NanoUsd, now: number): string {
  const own = formatAmount(limitNanoUsd ?? defaultLimit) +
    (limitNanoUsd === null ? " (default)" : "");
  if (!grant || now >= grant.until) return own;
  return `${formatAmount(grant.limitNanoUsd)} until ${formatMoment(grant.until)}, then ${own}`;
}

/** The tool. */
export const tool: Tool = {
  name: "accounts",
  summary: "Accounts: who may use the proxy, and how much each may spend in a day.",
  commands: {
    create,
    list,
    show,
    limit,
    import: importAccounts,
    ban: flagCommand(
      "ban",
      "Bans an account: all its requests are refused within five seconds.",
      { banned: true },
      "is now banned: its requests are refused within five seconds",
      "was already banned",
    ),
    unban: flagCommand(
      "unban",
      "Lifts a ban.",
      { banned: false },
      "is no longer banned",
      "was not banned",
    ),
    verify: flagCommand(
      "verify",
      "Records that the identity of an account's owner was verified.",
      { verified: true },
      "is now verified",
      "was already verified",
    ),
    unverify: flagCommand(
      "unverify",
      "Withdraws the verification; requests are refused within five seconds.",
      { verified: false },
      "is no longer verified: its requests are refused within five seconds",
      "was not verified",
    ),
    audit,
  },
};

if (import.meta.main) await runProcess(tool);
