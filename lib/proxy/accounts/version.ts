/** The versions of accounts and keys, from which forms are made. */

import { digestOf } from "../../platform/digest.ts";
import type { Origin } from "./changes.ts";

/** A change was made from a version that is not the present one; nothing was changed. */
export class OutdatedError extends Error {
  override name = "OutdatedError";
}

/** The version of an account or key: a digest of its values. */
export function versionOf(value: object): string {
  return digestOf(JSON.stringify(value, (_, each) => typeof each === "bigint" ? `${each}` : each));
}

/** @throws {OutdatedError} if a change was made from another version of a value. */
export function requirePresent({ madeFrom }: Origin, value: object): void {
  if (madeFrom !== undefined && madeFrom !== versionOf(value)) {
    throw new OutdatedError("the value has changed since");
  }
}
