/** `foyer keys`: creates, lists, revokes and rotates the API keys of accounts. */

import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { accountState } from "../lib/accounts/account.ts";
import type { Origin } from "../lib/accounts/audit_log.ts";
import {
  type ApiKey,
  type CreatedKey,
  createKey,
  getKey,
  keyEndsAt,
  keyState,
  listAllKeys,
  listKeys,
  revokeKey,
  rotateKey,
  updateKey,
} from "../lib/accounts/key.ts";
import { getLastUses } from "../lib/accounts/last_use.ts";
import { createEndpoints } from "../lib/proxy/proxy.ts";
import type { Config } from "../lib/platform/config/config.ts";
import { exactUsd, type NanoUsd } from "../lib/platform/money.ts";
import { DAY_MILLISECONDS } from "../lib/platform/time.ts";
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
import { formatMoment, readAmount, readDuration, readTime, table } from "./values.ts";

/** Adds the subcommands. */
export function addKeys(foyer: Command, act: Act): void {
  const keys = foyer.command("keys").description("API keys of accounts");
  subcommand(keys, "create <account>", "Create a key of an account, and show it once", [
    "create acc_5vKkU1GmWq2c --name laptop --expires 90d  # a key for three months",
    "create acc_5vKkU1GmWq2c --limit 0.50 --endpoints search  # fifty cents a day, for searches",
    'create "Weather bot" --json | jq -r .key  # only the key, for a script',
  ])
    .option("--name <label>", "what it is for, such as the name of a machine")
    .option("--expires <when>", "30m, 12h, 90d, 2w, or a date (00:00 UTC); default: never")
    .option(
      "--limit <usd>",
      "what it may spend in a UTC day, within the account's limit",
      readAmount,
    )
    .option("--endpoints <names>", "which it may use, such as search,answer (default: all)")
    .option(...WHY)
    .action(act(create));
  subcommand(keys, "list [account]", "List the keys of an account, or of all; ended ones too", [
    "list acc_5vKkU1GmWq2c  # a table",
    "list --json | jq '.[] | select(.lastUsedAt == null)'  # the unused ones of all accounts",
  ]).action(act(list));
  subcommand(keys, "show <key>", "Show a key: its account, state and last use (to the minute)", [
    "show 7Jx0pQz41LbV  # by the public id, the part between the underscores",
  ]).action(act(show));
  subcommand(keys, "limit <key>", "Set what a key may spend in a UTC day", [
    "limit 7Jx0pQz41LbV 0.50  # fifty cents a day",
    "limit 7Jx0pQz41LbV none  # only the account's limit",
  ])
    .argument("<usd|none>", "US dollars, or only the account's limit", readCap)
    .option(...WHY)
    .action(
      act((place, key: string, cap: NanoUsd | null, why: Why) =>
        change(place, key, why, (id, origin) => updateKey(place.kv, id, { cap }, origin))
      ),
    );
  subcommand(keys, "endpoints <key> <names|all>", "Set which endpoints a key may use", [
    "endpoints 7Jx0pQz41LbV search,contents  # these two; others are refused with 403",
    "endpoints 7Jx0pQz41LbV all  # every endpoint, new ones too",
  ]).option(...WHY).action(act((place, key: string, names: string, why: Why) => {
    const endpoints = names === "all" ? null : readEndpoints(names, place.config);
    return change(place, key, why, (id, origin) => updateKey(place.kv, id, { endpoints }, origin));
  }));
  subcommand(keys, "revoke <key>", "Revoke a key permanently; it is refused within five seconds", [
    "revoke 7Jx0pQz41LbV  # by the public id, the part between the underscores",
  ]).option(...WHY).action(
    act((place, key: string, why: Why) =>
      change(place, key, why, (id, origin) => revokeKey(place.kv, id, origin))
    ),
  );
  subcommand(keys, "rotate <key>", "Replace a key with a new one; the old one works for a while", [
    "rotate 7Jx0pQz41LbV  # a day to move to the new key",
    "rotate 7Jx0pQz41LbV --overlap 0h  # immediately, such as after a leak",
  ])
    .option(
      "--overlap <duration>",
      "how long both keys work; 0h: not at all (default: 24h)",
      readDuration,
    )
    .option(...WHY)
    .action(act(rotate));
}

function readCap(text: string): NanoUsd | null {
  return text === "none" ? null : readAmount(text);
}

async function create(
  place: Place,
  word: string,
  options: { name?: string; expires?: string; limit?: NanoUsd; endpoints?: string } & Why,
): Promise<Result> {
  const { kv, now, config } = place;
  const { name: label = null, expires, limit: cap = null, endpoints: names } = options;
  const expiresAt = expires === undefined ? null : readTime(expires, now(), "future");
  const endpoints = names === undefined ? null : readEndpoints(names, config);
  const account = await findLivingAccount(kv, word);
  const asked = { accountId: account.id, label, expiresAt, cap, endpoints };
  const created = await createKey(kv, asked, originOf(place, options));
  const state = accountState(account);
  const { json: [json] } = await describeKeys(place, [created.key]);
  return {
    json: { ...json, key: created.text },
    text: renderCreatedKey(created),
    notes: state === "active"
      ? []
      : [`the account is ${state}, so requests with the key are refused until that changes.`],
  };
}

async function list(place: Place, word?: string): Promise<Result> {
  const { kv } = place;
  if (word === undefined) return await describeKeys(place, await Array.fromAsync(listAllKeys(kv)));
  const { id } = await findAccount(kv, word);
  return await describeKeys(place, await listKeys(kv, id));
}

async function show(place: Place, id: string): Promise<Result> {
  const { json: [json], text } = await describeKeys(place, [await findKey(place.kv, id)]);
  return { json, text };
}

/** Changes a key and reports its state. */
async function change(
  place: Place,
  idOrText: string,
  why: Why,
  to: (id: string, origin: Origin) => Promise<ApiKey | null>,
): Promise<Result> {
  const { kv, now } = place;
  const before = await findKey(kv, idOrText);
  const { id } = before;
  // Keys are never removed.
  const key = await to(id, originOf(place, why)) ?? before;
  const said = isDeepStrictEqual(before, key)
    ? "Nothing changed"
    : "Changed, within five seconds everywhere";
  const { json: [json] } = await describeKeys(place, [key]);
  return {
    json,
    text: `${said}: the key ${id} is ${keyState(key, now())}. ` +
      `Daily limit: ${formatCap(key)}; endpoints: ${formatEndpoints(key)}.`,
  };
}

/**
 * Reads a list of endpoints such as `search,answer`.
 *
 * @throws {Mistake} naming the one that does not exist.
 */
function readEndpoints(text: string, config: Config): readonly string[] {
  const known = Object.keys(createEndpoints(config));
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw new Mistake(`no endpoint is called “${unknown}”; give some of ${known.join(", ")}`);
}

async function rotate(
  place: Place,
  idOrText: string,
  options: { overlap?: number } & Why,
): Promise<Result> {
  const { kv } = place;
  const { overlap: overlapMilliseconds = DAY_MILLISECONDS } = options;
  const { id, accountId } = await findKey(kv, idOrText);
  const rotation = await rotateKey(kv, id, { overlapMilliseconds }, originOf(place, options));
  if (rotation.kind !== "rotated") {
    const why = rotation.kind === "ending"
      ? `was already rotated, and works until ${formatMoment(keyEndsAt(rotation.replaced))}; ` +
        `\`deno task keys revoke ${id}\` ends it now`
      : `is ${rotation.kind}, so it was not rotated; ` +
        `\`deno task keys create ${accountId}\` creates another`;
    throw new Mistake(`the key ${id} ${why}`, 1);
  }
  const { json: [made, replaced] } = await describeKeys(place, [rotation.key, rotation.replaced]);
  return {
    json: { ...made, key: rotation.text, replaced },
    text: `${renderCreatedKey(rotation)}\n${renderReplaced(rotation.replaced)}`,
  };
}

/** A key's public id, alone or within the key's text. */
const KEY_ID = /^(?:[a-z][a-z0-9]{1,19}_)?(?<id>[0-9A-Za-z]{12})(?:_.*)?$/;

/**
 * Finds a key by its public id or its whole text: the finder of a leaked key has only the text.
 *
 * @throws {Mistake} if there is none; it repeats only the id.
 */
async function findKey(kv: Deno.Kv, idOrText: string): Promise<ApiKey> {
  const id = KEY_ID.exec(idOrText)?.groups?.["id"];
  const key = id === undefined ? null : await getKey(kv, id);
  if (key !== null) return key;
  const mistake = id === undefined
    ? "that is not a key's id; expected twelve letters and digits"
    : `no key has the id “${id}”`;
  throw new Mistake(`${mistake}; \`deno task keys list ACCOUNT\` lists all`, 1);
}

function renderReplaced(old: ApiKey): string {
  const endsAt = keyEndsAt(old);
  return old.revoked || endsAt === null
    ? `The old key ${old.id} is revoked: it is refused within five seconds.`
    : `The old key ${old.id} works until ${formatMoment(endsAt)}.`;
}

/** Keys with their last uses, without the hashes of their secrets. */
export async function describeKeys({ kv, now }: Workplace, keys: readonly ApiKey[]) {
  const uses = await getLastUses(kv, keys.map(({ id }) => id));
  const rows = keys.map((key, at) => ({ key, lastUsedAt: uses[at] ?? null }));
  return {
    json: rows.map(({ key, lastUsedAt }) => ({
      id: key.id,
      accountId: key.accountId,
      name: key.label,
      state: keyState(key, now()),
      createdAt: key.createdAt,
      expiresAt: key.expiresAt,
      revokedAt: key.revokedAt,
      lastUsedAt,
      limitNanoUsd: key.cap?.limitNanoUsd ?? null,
      endpoints: key.endpoints ?? null,
      leak: key.leak === undefined ? null : { at: key.leak.at },
    })),
    text: keys.length === 0
      ? "No keys yet: `deno task keys create <account>` creates one."
      : table([
        [
          ...["ID", "ACCOUNT", "STATE", "CREATED", "ENDS", "LAST USED"],
          ...["DAILY LIMIT", "ENDPOINTS", "NAME"],
        ],
        ...rows.map(({ key, lastUsedAt }) => [
          key.id,
          key.accountId,
          keyState(key, now()),
          formatMoment(key.createdAt),
          formatMoment(keyEndsAt(key)),
          formatMoment(lastUsedAt),
          formatCap(key),
          formatEndpoints(key),
          key.label ?? "-",
        ]),
      ]),
  };
}

/** A key's own daily limit as text: `$0.50`, or `none`. */
function formatCap({ cap }: ApiKey): string {
  return cap === undefined ? "none" : exactUsd(cap.limitNanoUsd);
}

/** The endpoints that a key may use as text: `search,answer`, or `all`. */
function formatEndpoints({ endpoints }: ApiKey): string {
  return endpoints?.join(",") ?? "all";
}

function renderCreatedKey({ key, text }: CreatedKey): string {
  const { cap, endpoints } = key;
  return [
    `Created the key ${key.id} of ${key.accountId}. Keep it now: it is shown only once.`,
    "",
    `  ${text}`,
    "",
    key.expiresAt === null ? "It does not expire." : `It expires ${formatMoment(key.expiresAt)}.`,
    ...cap === undefined ? [] : [`It may spend ${formatCap(key)} a day (UTC).`],
    ...endpoints === undefined ? [] : [`It may use only ${endpoints.join(", ")}.`],
    "Send it as `Authorization: Bearer <key>`.",
  ].join("\n");
}
