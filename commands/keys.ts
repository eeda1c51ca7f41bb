/** `deno task keys`: creates, lists, revokes and rotates the API keys of accounts. */

import {
  accountState,
  type ApiKey,
  type CreatedKey,
  createEndpoints,
  createKey,
  findLabelFault,
  getKey,
  getLastUses,
  keyEndsAt,
  keyState,
  listKeys,
  revokeKey,
  rotateKey,
  updateKey,
} from "../lib/proxy/mod.ts";
import type { Config } from "../lib/platform/config/config.ts";
import { toUsd } from "../lib/platform/money.ts";
import { suggest } from "./arguments.ts";
import { findAccount } from "./find.ts";
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
  formatMoment,
  readAmount,
  readDuration,
  readFuture,
  toIso,
} from "./values.ts";

const create: Command = {
  summary: "Creates a key of an account, and shows it once.",
  parameters: ["ACCOUNT"],
  options: {
    "name LABEL": "what it is for, such as the name of a machine",
    "expires WHEN": "30m, 12h, 90d, 2w, or a date (00:00 UTC); default: never",
    "limit USD": "what it may spend in a UTC day, within the account's limit",
    "endpoints NAMES": "which it may use, such as search,answer (default: all)",
    ...WHY,
  },
  examples: [
    ["create acc_5vKkU1GmWq2c --name laptop --expires 90d", "a key for three months"],
    ["create acc_5vKkU1GmWq2c --limit 0.50 --endpoints search", "fifty cents a day, for searches"],
    ['create "Weather bot" --json | jq -r .key', "only the key, for a script"],
  ],
  async run(given, place) {
    const { kv, now, config } = place;
    const origin = originOf(given, place);
    const label = given.option("name");
    const fault = label === null ? null : findLabelFault(label);
    if (fault !== null) throw new Mistake(`the name ${fault}; expected one such as laptop`);
    const expires = given.option("expires");
    const expiresAt = expires === null ? null : readFuture(expires, now());
    const limit = given.option("limit");
    const cap = limit === null ? null : readAmount(limit);
    const names = given.option("endpoints");
    const endpoints = names === null ? null : readEndpoints(names, config);
    const account = await findAccount(kv, given.argument("ACCOUNT"));
    const asked = { accountId: account.id, label, expiresAt, cap, endpoints };
    const created = await createKey(kv, asked, origin);
    const state = accountState(account);
    return {
      json: toCreatedKeyJson(created, now()),
      text: renderCreatedKey(created),
      notes: state === "active"
        ? []
        : [`the account is ${state}, so requests with the key are refused until that changes.`],
    };
  },
};

const list: Command = {
  summary: "Lists the keys of an account, oldest first, ended ones too.",
  parameters: ["ACCOUNT"],
  examples: [
    ["list acc_5vKkU1GmWq2c", "a table"],
    ["list acc_5vKkU1GmWq2c --json | jq '.[] | select(.lastUsedAt == null)'", "the unused ones"],
  ],
  async run(given, { kv, now }) {
    const { id } = await findAccount(kv, given.argument("ACCOUNT"));
    const keys = await withLastUses(kv, await listKeys(kv, id));
    return { json: keys.map((key) => toKeyJson(key, now())), text: renderKeys(keys, now()) };
  },
};

const show: Command = {
  summary: "Shows a key: its account, state and last use (to the minute).",
  parameters: ["KEY_ID"],
  examples: [["show 7Jx0pQz41LbV", "by the public id, the part between the underscores"]],
  async run(given, { kv, now }) {
    const use = await withLastUse(kv, await findKey(kv, given.argument("KEY_ID")));
    const { key, lastUsedAt } = use;
    return {
      json: toKeyJson(use, now()),
      text: alignColumns([
        ["Key", key.id],
        ["Account", key.accountId],
        ["Name", key.label ?? "-"],
        ["State", keyState(key, now())],
        ["Created", formatMoment(key.createdAt)],
        ["Expires", formatMoment(key.expiresAt)],
        ["Revoked", formatMoment(key.revokedAt)],
        ["Daily limit", formatCap(key)],
        ["Endpoints", formatEndpoints(key)],
        ["Last used", formatMoment(lastUsedAt)],
        ...key.leak === undefined ? [] : [["Leaked", `reported ${formatMoment(key.leak.at)}`]],
      ]).join("\n"),
    };
  },
};

const limit: Command = {
  summary: "Sets what a key may spend in a UTC day, within its account's limit.",
  parameters: ["KEY_ID", "USD|none"],
  options: WHY,
  examples: [
    ["limit 7Jx0pQz41LbV 0.50", "fifty cents a day"],
    ["limit 7Jx0pQz41LbV none", "only the account's limit"],
  ],
  run: (given, place) => {
    const amount = given.argument("USD|none");
    return change(given, place, {
      cap: amount === "none" ? null : readAmount(amount),
    });
  },
};

const endpoints: Command = {
  summary: "Sets which endpoints a key may use; others are refused with 403.",
  parameters: ["KEY_ID", "NAMES|all"],
  options: WHY,
  examples: [
    ["endpoints 7Jx0pQz41LbV search,contents", "these two"],
    ["endpoints 7Jx0pQz41LbV all", "every endpoint, new ones too"],
  ],
  run: (given, place) => {
    const names = given.argument("NAMES|all");
    return change(given, place, {
      endpoints: names === "all" ? null : readEndpoints(names, place.config),
    });
  },
};

/** Changes a key and reports it. */
async function change(
  given: Given,
  place: Workplace,
  fields: Parameters<typeof updateKey>[2],
): Promise<Result> {
  const { kv, now } = place;
  const origin = originOf(given, place);
  const { id } = await findKey(kv, given.argument("KEY_ID"));
  const key = await updateKey(kv, id, fields, origin);
  if (key === null) throw gone(id);
  return {
    json: toKeyJson(await withLastUse(kv, key), now()),
    text: `The key ${id} is changed, within five seconds everywhere. ` +
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
  for (const name of names) {
    if (!known.includes(name)) {
      throw new Mistake(`no endpoint is called “${name}”; ${suggest(name, known)}`);
    }
  }
  return names;
}

const revoke: Command = {
  summary: "Revokes a key permanently; it is refused within five seconds.",
  parameters: ["KEY_ID"],
  options: WHY,
  examples: [["revoke 7Jx0pQz41LbV", "by the public id, the part between the underscores"]],
  async run(given, place) {
    const { kv, now } = place;
    const origin = originOf(given, place);
    const before = await findKey(kv, given.argument("KEY_ID"));
    const key = await revokeKey(kv, before.id, origin);
    if (key === null) throw gone(before.id);
    const at = formatMoment(key.revokedAt);
    return {
      json: toKeyJson(await withLastUse(kv, key), now()),
      text: keyState(before, now()) === "revoked"
        ? `Nothing changed: the key ${key.id} was already revoked, at ${at}.`
        : `The key ${key.id} is now revoked: it is refused within five seconds.`,
    };
  },
};

const rotate: Command = {
  summary: "Replaces a key with a new one; the old key works until --overlap ends.",
  parameters: ["KEY_ID"],
  options: {
    "overlap DURATION": "how long both keys work (default: 24h; 0h: not at all)",
    ...WHY,
  },
  examples: [
    ["rotate 7Jx0pQz41LbV", "a day to move to the new key"],
    ["rotate 7Jx0pQz41LbV --overlap 0h", "immediately, such as after a leak"],
  ],
  async run(given, place) {
    const { kv, now } = place;
    const origin = originOf(given, place);
    const overlapMilliseconds = readDuration(given.option("overlap") ?? "24h");
    const { id, accountId } = await findKey(kv, given.argument("KEY_ID"));
    const rotation = await rotateKey(kv, id, { overlapMilliseconds }, origin);
    if (rotation.kind === "unknown") throw gone(id);
    if (rotation.kind !== "rotated") {
      const why = rotation.kind === "ending"
        ? `was already rotated, and works until ${formatMoment(keyEndsAt(rotation.replaced))}; ` +
          `\`deno task keys revoke ${id}\` ends it now`
        : `is ${rotation.kind}, so it was not rotated; ` +
          `\`deno task keys create ${accountId}\` creates another`;
      throw new Mistake(`the key ${id} ${why}`, 1);
    }
    const replaced = await withLastUse(kv, rotation.replaced);
    return {
      json: { ...toCreatedKeyJson(rotation, now()), replaced: toKeyJson(replaced, now()) },
      text: `${renderCreatedKey(rotation)}\n${renderReplaced(rotation.replaced)}`,
    };
  },
};

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
  throw new Mistake(`${mistake}; \`deno task keys list ACCOUNT\` lists an account's keys`, 1);
}

/** The error for a key that has vanished since it was found. It never happens, because keys are never removed. */
function gone(id: string): Error {
  return new Error(`the key ${id} no longer exists`);
}

function renderReplaced(old: ApiKey): string {
  const endsAt = keyEndsAt(old);
  return old.revoked || endsAt === null
    ? `The old key ${old.id} is revoked: it is refused within five seconds.`
    : `The old key ${old.id} works until ${formatMoment(endsAt)}.`;
}

async function withLastUse(kv: Deno.Kv, key: ApiKey): Promise<KeyUse> {
  const [use = { key, lastUsedAt: null }] = await withLastUses(kv, [key]);
  return use;
}

/** A key and its last use in epoch milliseconds; null for never. */
type KeyUse = Awaited<ReturnType<typeof withLastUses>>[number];

/** Reads the last uses of keys. */
export async function withLastUses(kv: Deno.Kv, keys: readonly ApiKey[]) {
  const uses = await getLastUses(kv, keys.map(({ id }) => id));
  return keys.map((key, index) => ({ key, lastUsedAt: uses[index] ?? null }));
}

/** A key for `--json`, without the hash of its secret. */
export function toKeyJson({ key, lastUsedAt }: KeyUse, now: number) {
  return {
    id: key.id,
    accountId: key.accountId,
    name: key.label,
    state: keyState(key, now),
    createdAt: toIso(key.createdAt),
    expiresAt: toIso(key.expiresAt),
    revokedAt: toIso(key.revokedAt),
    lastUsedAt: toIso(lastUsedAt),
    limitUsd: key.cap === undefined ? null : toUsd(key.cap.limitNanoUsd),
    endpoints: key.endpoints ?? null,
    leak: key.leak === undefined ? null : { at: toIso(key.leak.at) },
  };
}

/** A key's own daily limit as text: `0.5 USD`, or `none`. */
function formatCap({ cap }: ApiKey): string {
  return cap === undefined ? "none" : formatAmount(cap.limitNanoUsd);
}

/** The endpoints that a key may use as text: `search,answer`, or `all`. */
function formatEndpoints({ endpoints }: ApiKey): string {
  return endpoints?.join(",") ?? "all";
}

/** A new key for `--json`, with its text under `key`. */
function toCreatedKeyJson({ key, text }: CreatedKey, now: number) {
  return { ...toKeyJson({ key, lastUsedAt: null }, now), key: text };
}

/** A table of an account's keys. */
export function renderKeys(keys: readonly KeyUse[], now: number): string {
  if (keys.length === 0) return "No keys yet: `deno task keys create ACCOUNT` creates one.";
  return alignColumns([
    ["ID", "STATE", "CREATED", "ENDS", "LAST USED", "DAILY LIMIT", "ENDPOINTS", "NAME"],
    ...keys.map(({ key, lastUsedAt }) => [
      key.id,
      keyState(key, now),
      formatMoment(key.createdAt),
      formatMoment(keyEndsAt(key)),
      formatMoment(lastUsedAt),
      formatCap(key),
      formatEndpoints(key),
      key.label ?? "-",
    ]),
  ]).join("\n");
}

/** A new key with its text. */
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

/** The tool. */
export const tool: Tool = {
  name: "keys",
  summary: "API keys of accounts: created, listed, limited, revoked, rotated.",
  commands: { create, list, show, limit, endpoints, revoke, rotate },
};

if (import.meta.main) await runProcess(tool);
