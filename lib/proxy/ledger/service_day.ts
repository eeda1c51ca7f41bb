/**
 * The service's day: the sum that all accounts together have spent and reserved, to the nano-dollar, and the
 * allowances of isolates.
 *
 * The sum is in some shards, to which each booking adds in its own commit. An addition checks nothing, so the accounts
 * do not conflict in it.
 */

import { beginAtomic } from "../../platform/kv/write.ts";
import type { Draft } from "../../platform/kv/group_commit.ts";
import { getEntries, getEntry, listEntries } from "../../platform/kv/list.ts";
import { retryLocked } from "../../platform/kv/open.ts";
import type { NanoUsd } from "../../platform/money.ts";

/** The part of the service's limit that one isolate has set aside on a day. */
interface ServiceAllowance {
  readonly isolate: string;
  /** It bounds the isolate's reservations that are not in the shards yet, and its next ones. */
  readonly amount: NanoUsd;
  /** Epoch milliseconds after which another isolate may take it away. */
  readonly until: number;
}

/** The allowances of a day. */
export interface ServiceDay {
  readonly allowances: readonly ServiceAllowance[];
  /** When a draw found less than its requests needed, in epoch milliseconds; absent if the last one found enough. */
  readonly reachedAt?: number;
}

/** The state of the service's limit. */
interface ServiceStatus {
  /** The sum that all accounts have spent and reserved. */
  readonly used: NanoUsd;
  /** Set aside by isolates. */
  readonly setAside: NanoUsd;
  readonly isReached: boolean;
}

/** The number of shards. With two more keys they fit one read, which has at most ten keys. */
const SHARDS = 8;

/** The {@linkcode ServiceDay}. */
const serviceDayKey = (day: string): Deno.KvKey => ["service_day", day];

/**
 * Says that an isolate's allowance has not been taken away. A reservation checks it, so that none is made under an
 * allowance that no longer counts.
 */
export function serviceAllowanceKey(day: string, isolate: string): Deno.KvKey {
  return ["service_allowance", day, isolate];
}

const shardKey = (day: string, shard: number): Deno.KvKey => ["service_spend", day, `${shard}`];
const shardKeys = (day: string) => Array.from({ length: SHARDS }, (_, at) => shardKey(day, at));

/** Adds a booking's amount to the service's day; `batch` begins with the name of the isolate that reserved it. */
export function addToServiceDay(draft: Draft, day: string, batch: string, amount: NanoUsd): void {
  draft.add(shardKey(day, shardOf(batch)), amount);
}

/** The sum that all accounts have spent and reserved on a day. */
export async function readServiceSum(kv: Deno.Kv, day: string): Promise<NanoUsd> {
  return sumOf(await getEntries<Deno.KvU64>(kv, shardKeys(day)));
}

/** The sum, the allowances and an isolate's {@linkcode serviceAllowanceKey} at one moment. */
export async function readServiceDay(kv: Deno.Kv, day: string, isolate: string) {
  const keys = [serviceDayKey(day), serviceAllowanceKey(day, isolate), ...shardKeys(day)];
  const [entry, marker, ...shards] = await getEntries<unknown>(kv, keys);
  if (entry === undefined || marker === undefined) throw new Error("the database read too little");
  return {
    entry,
    marker,
    // Each KV key holds values of one kind.
    stored: entry.value as ServiceDay | null ?? { allowances: [] },
    sum: sumOf(shards as Pick<Deno.KvEntryMaybe<Deno.KvU64>, "value">[]),
  };
}

/** A single shard may be negative, which wraps round, because another isolate's sweep may book a cost. */
function sumOf(shards: readonly { readonly value: Deno.KvU64 | null }[]): NanoUsd {
  return BigInt.asIntN(64, shards.reduce((sum, { value }) => sum + (value?.value ?? 0n), 0n));
}

/** Replaces the sum of a day, in a database that no process books in yet. */
export async function setServiceSum(kv: Deno.Kv, day: string, sum: NanoUsd): Promise<void> {
  const [first = shardKey(day, 0), ...others] = shardKeys(day);
  const operation = beginAtomic(kv);
  if (sum === 0n) operation.delete(first);
  else operation.set(first, new Deno.KvU64(BigInt.asUintN(64, sum)));
  for (const key of others) operation.delete(key);
  await retryLocked(() => operation.commit());
}

/** Reads the state of the service's limit on a day. */
export async function readServiceStatus(kv: Deno.Kv, day: string): Promise<ServiceStatus> {
  const { value } = await getEntry<ServiceDay>(kv, serviceDayKey(day));
  return {
    used: await readServiceSum(kv, day),
    setAside: amountOf(value?.allowances ?? []),
    isReached: value?.reachedAt !== undefined,
  };
}

/** The sum of some allowances. */
export function amountOf(allowances: readonly ServiceAllowance[]): NanoUsd {
  return allowances.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Removes the service's days from before a day. */
export async function removeOldServiceDays(kv: Deno.Kv, before: string): Promise<void> {
  for (const kind of ["service_spend", "service_day"]) {
    const older = { before: [kind, before], leaveOut() {} };
    for await (const { key } of listEntries(kv, [kind], older)) {
      await retryLocked(() => kv.delete(key));
    }
  }
}

/** An isolate's commits add to one shard. */
function shardOf(batch: string): number {
  let hash = 0;
  for (let at = 0; at < batch.length && batch[at] !== "-"; at++) {
    hash = (hash * 31 + batch.charCodeAt(at)) % SHARDS;
  }
  return hash;
}
