/** What a backup has, in the operator's things, and the order of its values. */

import type { Stored } from "../../platform/kv/list.ts";
import { COPIED_KINDS, kindOf } from "./kinds.ts";

/** How many of each a backup has. */
export interface Contents {
  readonly accounts: number;
  readonly keys: number;
  /** Usage records. */
  readonly records: number;
  /** Days of which there are sums. */
  readonly days: number;
}

/** Counts the values of a backup, which are added in their order. */
export function createCounter() {
  const counts = new Map<string, number>();
  const countOf = (kind: string) => counts.get(kind) ?? 0;
  let days = 0;
  let order = 0;

  return {
    /** @throws {RangeError} for a value whose kind is not copied or comes too late. */
    add({ key }: Stored): void {
      const kind = kindOf(key);
      if (kind === null) {
        throw new RangeError("a value of this kind is in no backup of this version");
      }
      const place = COPIED_KINDS.indexOf(kind);
      if (place < order) throw new RangeError("the values are not in the order of a backup");
      order = place;
      counts.set(kind, countOf(kind) + 1);
      // Each day that has sums has this one.
      if (kind === "service" && key.at(-1) === "reserved") days++;
    },
    /** The contents so far. */
    result: (): Contents => ({
      accounts: countOf("account"),
      keys: countOf("key"),
      records: countOf("usage"),
      days,
    }),
  };
}
