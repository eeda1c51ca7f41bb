/**
 * The schemas of the stored values that a backup copies, by the first part of their keys; STORAGE.md has an example of
 * each. A restore checks every value before it writes any: an amount that has become a text, by a tool that edits JSON,
 * would be read as another amount. Members that this version does not know pass.
 */

import { z } from "zod";
import type { Stored } from "../../platform/kv/list.ts";

const amount = z.bigint();
const limit = z.bigint().nonnegative();
const count = z.int().nonnegative();
/** Epoch milliseconds. */
const moment = z.number().nonnegative();
const id = z.string().min(1);

const grant = z.looseObject({ limitNanoUsd: limit, until: moment });
const capDay = z.looseObject({ spent: amount, reserved: amount });
const requests = z.looseObject({ requests: count, failures: count, spent: amount });
const sums = z.looseObject({
  spent: amount,
  reserved: amount,
  requests: count,
  byEndpoint: z.record(z.string(), requests),
  byKey: z.record(z.string(), requests).optional(),
  suspectCosts: count.optional(),
  caps: z.record(z.string(), capDay).optional(),
});
const request = z.looseObject({
  requestId: id,
  accountId: id,
  keyId: id,
  day: z.iso.date(),
  endpoint: id,
  model: z.string().nullable(),
  at: moment,
});
const members = z.record(z.string(), z.unknown());

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  account: z.looseObject({
    version: count,
    id,
    name: z.string(),
    limitNanoUsd: limit.nullable(),
    grant: grant.optional(),
    banned: z.boolean(),
    verified: z.boolean(),
    createdAt: moment,
    reference: z.string().optional(),
    banReason: z.string().optional(),
    owner: z.looseObject({ issuer: z.string(), subject: z.string() }).optional(),
    isWithdrawn: z.boolean().optional(),
    deletedAt: moment.optional(),
  }),
  account_of_person: id,
  account_of_reference: id,
  // What is kept of a person who has deleted an account.
  departed: z.looseObject({ accountId: id, day: z.iso.date(), until: moment.optional() }),
  key: z.looseObject({
    id,
    accountId: id,
    label: z.string().nullable(),
    createdAt: moment,
    expiresAt: moment.nullable(),
    revokedAt: moment.nullable(),
    revoked: z.boolean(),
    secretHash: z.instanceof(Uint8Array).refine(({ length }) => length === 32, "expected 32 bytes"),
    cap: z.looseObject({ id, limitNanoUsd: limit }).optional(),
    endpoints: z.array(id).min(1).optional(),
    leak: z.looseObject({ at: moment }).optional(),
  }),
  key_of_account: z.literal(true),
  key_last_used: moment,
  change: z.looseObject({
    at: moment,
    by: members,
    what: z.array(z.string()),
    before: members.nullable(),
    after: members,
  }),
  change_at: z.literal(true),
  ledger: z.looseObject({
    version: count,
    rate: z.array(z.number()),
    days: z.record(z.iso.date(), sums),
  }),
  // Empty until the day has left the ledger value.
  day: sums.partial(),
  reservation: request.extend({ amount: limit, deadline: moment, capId: id.optional() }),
  usage: request.extend({
    cost: amount,
    costFrom: z.string(),
    inputTokens: z.number().nullable(),
    outputTokens: z.number().nullable(),
    status: z.int().nullable(),
    durationMs: z.number().nullable(),
    reason: z.string().optional(),
    corrects: id.optional(),
  }),
  health_day: z.record(z.string(), z.looseObject({ runs: count, failed: count })),
  removed_until: z.looseObject({ until: z.iso.date(), ranOn: z.iso.date() }),
  blob: z.union([
    z.looseObject({ version: id, bytes: z.instanceof(Uint8Array) }),
    z.looseObject({ version: id, place: z.literal([0, 1]), chunks: count }),
  ]),
};

/** The values that repeat parts of their keys, with the places of these. */
const NAMED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  account: { id: 1 },
  key: { id: 1 },
  reservation: { accountId: 1, requestId: 2 },
  usage: { accountId: 1, day: 2, at: 3, requestId: 4 },
};

/** The fault of a value, without any part of the value; null if it is as its kind should be. */
export function findStoredFault({ key, value }: Stored): string | null {
  const kind = String(key[0]);
  const { error } = SCHEMAS[kind]?.safeParse(value) ?? {};
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) {
    const member = issue.path.map(String).join(".");
    return `a value of the kind “${kind}” is wrong${member === "" ? "" : ` in ${member}`}: ` +
      issue.message.replace(/^Invalid input: |, received .*/g, "");
  }
  const other = Object.entries(NAMED[kind] ?? {}).find(([name, at]) =>
    (value as Readonly<Record<string, unknown>>)[name] !== key[at]
  );
  return other === undefined
    ? null
    : `a value of the kind “${kind}” is wrong in ${other[0]}: expected that of its key`;
}
