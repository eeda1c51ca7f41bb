/** `foyer accounts`: creates accounts, lists and shows them, sets their limits, bans, verifies and deletes them. */

import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import {
  type Account,
  type AccountChange,
  accountState,
  createAccount,
  dailyLimitOf,
  findReasonFault,
  grantOf,
  listAccounts,
  updateAccount,
} from "../lib/accounts/account.ts";
import { findAccounts } from "../lib/accounts/find.ts";
import { listKeys } from "../lib/accounts/key.ts";
import { deleteAccount } from "../lib/accounts/owner.ts";
import { correctCharge, CorrectionError } from "../lib/proxy/ledger/correction.ts";
import { dayOf } from "../lib/platform/utc_days.ts";
import { readDays } from "../lib/proxy/ledger/read.ts";
import { EMPTY_DAY, USAGE_DAYS } from "../lib/proxy/ledger/transitions.ts";
import {
  reconcileBooks,
  reconciliationInWords,
  spendingInWords,
} from "../lib/operate/reconcile.ts";
import { exactUsd, type NanoUsd } from "../lib/platform/money.ts";
import { counted } from "../lib/platform/text.ts";
import { findAccount, findLivingAccount } from "./find.ts";
import {
  type Act,
  Mistake,
  originOf,
  type Place,
  type Result,
  subcommand,
  WHY,
  type Why,
  type Workplace,
} from "./frame.ts";
import { addImport } from "./import_accounts.ts";
import { describeKeys } from "./keys.ts";
import { formatMoment, readAmount, readDay, readTime, table, toDayJson } from "./values.ts";

/** Adds the subcommands. */
export function addAccounts(foyer: Command, act: Act): void {
  const accounts = foyer.command("accounts")
    .description("Who may use the proxy, and how much each may spend in a day");
  subcommand(accounts, "create <name>", "Create an account", [
    'create "Weather bot"  # an account with the default limit',
    "create demo --limit 0.50 --unverified  # fifty cents a day, once it is verified",
    "create demo --json | jq -r .id  # only the id, for a script",
  ])
    .option(
      "--limit <usd>",
      "what it may spend in a UTC day (default: DAILY_LIMIT_USD)",
      readAmount,
    )
    .option("--unverified", "refuse its requests until `accounts verify`")
    .option(...WHY)
    .action(act(create));
  subcommand(
    accounts,
    "list [word]",
    "List all accounts, the oldest first, or fifty with a word of their name, a reference or an id",
    [
      "list mül  # a word of the name begins with mül; case and marks make no difference",
      "list --json | jq '.[] | select(.banned)'  # the banned ones",
    ],
  ).alias("find").action(act(list));
  subcommand(accounts, "show <account>", "Show an account, its keys and today's spending (UTC)", [
    "show acc_5vKkU1GmWq2c  # by its id",
    'show "Weather bot"  # by its name, if no other account has it',
  ]).action(act(show));
  subcommand(
    accounts,
    "limit <account>",
    "Set what an account may spend in a UTC day",
    [
      "limit acc_5vKkU1GmWq2c 10  # ten dollars a day",
      "limit acc_5vKkU1GmWq2c 20 --until 2026-12-31  # twenty dollars a day, then as before",
      "limit acc_5vKkU1GmWq2c default  # the value of DAILY_LIMIT_USD, now and later",
    ],
  )
    .argument("<usd|default>", "US dollars, or the default", readLimit)
    .option("--until <when>", "only until then: 12h, 30d, or a date (00:00 UTC)")
    .option(...WHY)
    .action(act(limit));
  addImport(accounts, act);
  subcommand(
    accounts,
    "ban <account>",
    "Ban an account: all its requests are refused within five seconds",
    ['ban acc_5vKkU1GmWq2c --reason "The key was sold."  # the member reads the reason'],
  )
    .option("--reason <text>", "what the member is told, in each refusal and on the account page")
    .option(...WHY)
    .action(
      act((place, account: string, options: { reason?: string } & Why) =>
        change(place, account, options, {
          banned: true,
          banReason: options.reason ?? null,
        })
      ),
    );
  const flags = [
    ["unban", "Lift a ban", { banned: false }],
    ["verify", "Record that the identity of an account's owner was verified", { verified: true }],
    [
      "unverify",
      "Withdraw the verification: requests are refused within five seconds",
      { verified: false },
    ],
  ] as const;
  for (const [name, summary, fields] of flags) {
    subcommand(accounts, `${name} <account>`, summary)
      .option(...WHY)
      .action(
        act((place, account: string, why: Why) => change(place, account, why, fields)),
      );
  }
  subcommand(accounts, "rename <account> <name>", "Give an account another name", [
    'rename acc_5vKkU1GmWq2c "Forecast bot"  # a sign-in takes the name of the provider again',
  ]).option(...WHY).action(
    act((place, account: string, name: string, why: Why) => change(place, account, why, { name })),
  );
  subcommand(
    accounts,
    "delete <account>",
    "Delete an account permanently, with its name and its keys",
    [
      "delete acc_5vKkU1GmWq2c --yes  # the sums stay in the books, under its id",
    ],
  ).option("--yes", "needed, since its keys end for ever").option(...WHY).action(act(remove));
  subcommand(
    accounts,
    "correct <account>",
    "Correct what an account was charged on a UTC day; the member reads the reason",
    [
      'correct acc_5vKkU1GmWq2c --day 2026-11-20 --back 0.50 --reason "Charged twice"',
      'correct acc_5vKkU1GmWq2c --day 2026-11-20 --add 0.02 --reason "Stated too low"',
    ],
  )
    .requiredOption("--day <day>", `the day, one of the last ${USAGE_DAYS}`, readDay)
    .option("--back <usd>", "what is booked back", readAmount)
    .option("--add <usd>", "what is charged in addition", readAmount)
    .requiredOption("--reason <text>", "why, for the member and the audit log")
    .option("--request <id>", "the request that was charged wrongly")
    .action(act(correct));
  subcommand(
    accounts,
    "audit",
    "Compare each day's sums with its usage records and open reservations",
    ["audit  # exit code 1 if anything differs"],
  ).action(act(({ kv, now }) => reportAudit(kv, now())));
}

interface CorrectionOptions {
  readonly day: string;
  readonly back?: NanoUsd;
  readonly add?: NanoUsd;
  readonly reason: string;
  readonly request?: string;
}

async function correct(
  place: Place,
  word: string,
  { day, back, add, reason, request }: CorrectionOptions,
): Promise<Result> {
  const { kv, config } = place;
  const origin = originOf(place, {});
  if ((back === undefined) === (add === undefined)) {
    throw new Mistake("give either --back or --add, with an amount of US dollars");
  }
  const fault = findReasonFault(reason);
  if (fault !== null) throw new Mistake(`the reason ${fault}`);
  const { id } = await findAccount(kv, word);
  const amount = add ?? -(back ?? 0n);
  const asked = { at: origin.at, accountId: id, day, amount, reason, requestId: request };
  try {
    const { requestId, cost } = await correctCharge(kv, asked, {
      hasOutbox: config.ANALYTICS_URL !== undefined,
      hasServiceLimit: config.SERVICE_DAILY_LIMIT_USD !== undefined,
    }, origin);
    return {
      json: { id: requestId, account: id, day, costUsd: cost, costNanoUsd: String(cost), reason },
      text: `Booked ${exactUsd(cost)} for ${id} on ${day}: ${requestId}.`,
    };
  } catch (error) {
    if (error instanceof CorrectionError) throw new Mistake(error.message);
    throw error;
  }
}

async function create(
  place: Place,
  name: string,
  options: { limit?: NanoUsd; unverified?: true } & Why,
): Promise<Result> {
  const { kv } = place;
  const verified = options.unverified !== true;
  const asked = { name, limitNanoUsd: options.limit ?? null, verified };
  const account = await createAccount(kv, asked, originOf(place, options));
  return {
    json: toAccountJson(account, place),
    text: `Created the account ${account.id} (${name}).\n` +
      `To create its first key: deno task keys create ${account.id}`,
  };
}

async function list(place: Place, word?: string): Promise<Result> {
  const { kv } = place;
  const found = word === undefined ? null : await findAccounts(kv, word);
  const accounts = found?.accounts ?? (await Array.fromAsync(listAccounts(kv)))
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  return {
    json: accounts.map((account) => toAccountJson(account, place)),
    text: accounts.length === 0
      ? word === undefined
        ? "No accounts yet: `deno task accounts create <name>` creates one."
        : `No account has “${word}”.`
      : table([
        ["ID", "STATE", "DAILY LIMIT", "CREATED", "NAME"],
        ...accounts.map((account) => [
          account.id,
          accountState(account),
          formatLimit(account, place),
          formatMoment(account.createdAt),
          account.name,
        ]),
      ]),
    notes: found?.next ? ["more accounts have it; give more of the name."] : [],
  };
}

async function show(place: Place, word: string): Promise<Result> {
  const { kv, now } = place;
  const account = await findAccount(kv, word);
  const { id, name, reference, banReason, owner, createdAt } = account;
  const keys = await describeKeys(place, await listKeys(kv, id));
  const [today = EMPTY_DAY] = await readDays(kv, id, [dayOf(now())]);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Account", id],
    ["Name", name],
    ["Reference", reference],
    ["State", accountState(account)],
    ["Reason", banReason],
    ["Signs in as", owner && `${owner.subject} at ${owner.issuer}`],
    ["Daily limit", formatLimit(account, place)],
    ["Today", spendingInWords(today)],
    ["Created", formatMoment(createdAt)],
  ];
  return {
    json: {
      ...toAccountJson(account, place),
      ...owner && { owner },
      today: toDayJson(today),
      keys: keys.json,
    },
    text: [
      table(facts.flatMap(([label, fact]) => fact === undefined ? [] : [[label, fact]])),
      "",
      keys.text,
    ].join("\n"),
  };
}

async function limit(
  place: Place,
  account: string,
  limitNanoUsd: NanoUsd | null,
  options: { until?: string } & Why,
): Promise<Result> {
  const { until } = options;
  if (until !== undefined && limitNanoUsd === null) {
    throw new Mistake("the default has no end; give an amount of US dollars with --until");
  }
  // A limit without an end takes the place of one with an end.
  const fields: AccountChange = until === undefined || limitNanoUsd === null
    ? { limitNanoUsd, grant: null }
    : { grant: { limitNanoUsd, until: readTime(until, place.now(), "future") } };
  return await change(place, account, options, fields);
}

function readLimit(text: string): NanoUsd | null {
  return text === "default" ? null : readAmount(text);
}

async function remove(
  place: Place,
  word: string,
  options: { yes?: true } & Why,
): Promise<Result> {
  const { kv } = place;
  const { id, name } = await findLivingAccount(kv, word);
  const keys = counted((await listKeys(kv, id)).length, "key");
  if (options.yes !== true) {
    throw new Mistake(
      `this deletes the account ${id} (${name}) and ends its ${keys} permanently; add --yes to do it`,
    );
  }
  await deleteAccount(kv, id, originOf(place, options));
  return {
    json: { id, deletedAt: place.now() },
    text: `Deleted the account ${id} (${name}) and ended its ${keys}. Its sums stay in the books.`,
  };
}

/** Changes an account and reports its state. */
async function change(
  place: Place,
  word: string,
  why: Why,
  fields: AccountChange,
): Promise<Result> {
  const { kv } = place;
  const before = await findLivingAccount(kv, word);
  const after = await updateAccount(kv, before.id, fields, originOf(place, why));
  if (after === null) throw new Mistake(`the account ${before.id} is deleted`, 1);
  const said = isDeepStrictEqual(before, after)
    ? `Nothing changed: the account ${after.id}`
    : `Changed, within five seconds everywhere: the account ${after.id}`;
  const limit = formatLimit(after, place);
  return {
    json: toAccountJson(after, place),
    text: `${said} (${after.name}) is ${accountState(after)}, with a daily limit of ${limit}.`,
  };
}

/** Compares the sums of all accounts with their records, and reports the differences. */
export async function reportAudit(kv: Deno.Kv, now: number): Promise<Result> {
  const { accounts, differences } = await reconcileBooks(kv, now);
  return {
    json: {
      accounts,
      differences: differences.map(({ book, records, ...each }) => (
        { ...each, book: toDayJson(book), records: toDayJson(records) }
      )),
    },
    text: reconciliationInWords({ accounts, differences }).join("\n"),
    exitCode: differences.length === 0 ? 0 : 1,
  };
}

/** An account for `--json`. Its limit is the one in force: its own or the default. */
function toAccountJson(account: Account, { config, now }: Workplace) {
  const grant = grantOf(account, now());
  const { id, name, reference = null, limitNanoUsd, banned, banReason, verified, createdAt } =
    account;
  return {
    id,
    name,
    reference,
    state: accountState(account),
    banned,
    ...banReason !== undefined && { banReason },
    verified,
    limitNanoUsd: dailyLimitOf(account, config.DAILY_LIMIT_USD, now()),
    limitUntil: grant?.until ?? null,
    isDefaultLimit: limitNanoUsd === null && grant === null,
    createdAt,
  };
}

/** The limit in force, when it ends, and whether it is the default. */
function formatLimit(account: Account, { config, now }: Workplace): string {
  const { limitNanoUsd } = account;
  const grant = grantOf(account, now());
  const own = limitNanoUsd === null
    ? `${exactUsd(config.DAILY_LIMIT_USD)} (default)`
    : exactUsd(limitNanoUsd);
  return grant === null
    ? own
    : `${exactUsd(grant.limitNanoUsd)} until ${formatMoment(grant.until)}, then ${own}`;
}
