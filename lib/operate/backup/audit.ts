/** The audit at the end of a backup: how many values of each kind it has, and the sums of their amounts. */

import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../platform/json.ts";
import type { Stored } from "../../platform/kv/list.ts";
import { COPIED_KINDS, kindOf } from "./kinds.ts";

/** One kind of value in a backup. */
interface KindAudit {
  readonly values: number;
  /** The sum of every amount, in nano-dollars as text, by the name of its member; amounts alone are `value`. */
  readonly sums: Readonly<Record<string, string>>;
}

/** What a backup has, by kind. */
export type Audit = Readonly<Record<string, KindAudit>>;

/** The last moment that a `Date` can show, in epoch milliseconds. */
const LAST_MOMENT = 8_640_000_000_000_000;
/** The names of members that hold moments in epoch milliseconds. */
const MOMENT = /^at$|At$|^until$/;
/** A kind has a handful of names of amounts; more would fill the memory. */
const MAX_SUMS = 50;

/** Creates an audit, to which the values of a backup are added in their order. */
export function createAudit() {
  const kinds = new Map<string, { values: number; readonly sums: Map<string, bigint> }>();
  let order = 0;
  let days = 0;

  return {
    /**
     * @throws {RangeError} for a value whose kind is not copied or comes too late, for a moment that no clock can
     *   show, or if a kind has too many names of amounts.
     */
    add({ key, value }: Stored): void {
      const kind = kindOf(key);
      if (kind === null) {
        throw new RangeError("a value of this kind is in no backup of this version");
      }
      const place = COPIED_KINDS.indexOf(kind);
      if (place < order) throw new RangeError("the values are not in the order of a backup");
      order = place;
      const sofar = kinds.get(kind) ?? { values: 0, sums: new Map<string, bigint>() };
      kinds.set(kind, sofar);
      sofar.values++;
      // Each day that has sums has this one.
      if (kind === "service" && key.at(-1) === "reserved") days++;
      addAmounts(sofar.sums, "value", value);
    },
    /** Of how many days there are sums. */
    days: () => days,
    /** The audit of all values so far. */
    result(): Audit {
      return Object.fromEntries([...kinds].map(([kind, { values, sums }]) => [
        kind,
        {
          values,
          sums: Object.fromEntries([...sums].map(([name, sum]) => [name, String(sum)])),
        },
      ]));
    },
  };
}

function addAmounts(sums: Map<string, bigint>, name: string, value: unknown): void {
  if (typeof value === "bigint" || value instanceof Deno.KvU64) {
    const amount = typeof value === "bigint" ? value : value.value;
    sums.set(name, (sums.get(name) ?? 0n) + amount);
    if (sums.size > MAX_SUMS) throw new RangeError("its kind has too many names of amounts");
  } else if (typeof value === "number") {
    if (MOMENT.test(name) && !(Math.abs(value) <= LAST_MOMENT)) {
      throw new RangeError("it has an invalid time");
    }
  } else if (Array.isArray(value)) {
    for (const each of value) addAmounts(sums, name, each);
  } else if (isObject(value) && !(value instanceof Uint8Array)) {
    for (const [member, each] of Object.entries(value)) addAmounts(sums, member, each);
  }
}

/** The kinds of which two audits say different things, in the order of a backup. */
export function differingKinds(one: Audit, other: Audit): string[] {
  return COPIED_KINDS.filter((kind) => !isDeepStrictEqual(one[kind], other[kind]));
}
