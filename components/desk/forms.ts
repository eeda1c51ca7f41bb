/** What the forms of the desk about accounts share: their fields, and the version that they were made from. */

import type { Fields } from "../../lib/members/mod.ts";
import { type Account, findNameFault, type Origin } from "../../lib/proxy/mod.ts";
import { nothingHere, PublicError } from "../../lib/platform/http/errors.ts";
import { type NanoUsd, parseUsd } from "../../lib/platform/money.ts";
import { type DeskForm, originOf } from "./desk.tsx";

/** The origin of a change by a form: with its reason, and the version that it was made from. */
export function originOfForm(form: DeskForm): Origin {
  const madeFrom = form.fields.one("version");
  return { ...originOf(form), madeFrom };
}

/** An amount of dollars; null if the field is empty. @throws {PublicError} for anything else. */
export function readAmount(fields: Fields, name: string): NanoUsd | null {
  const text = fields.one(name);
  if (text === "") return null;
  const amount = parseUsd(text);
  if (amount !== null) return amount;
  throw wrong(name, `${JSON.stringify(text.slice(0, 40))} is not an amount of US dollars.`, {
    hint: "Write one such as 4 or 0.50.",
  });
}

/** An account's name. @throws {PublicError} for one that is not valid. */
export function readName(fields: Fields): string {
  const name = fields.one("name");
  const fault = findNameFault(name);
  if (fault === null) return name;
  throw wrong("name", `The name ${fault}.`);
}

/** The error of a field. */
export function wrong(field: string, message: string, { hint }: { hint?: string } = {}) {
  return new PublicError("bad_request", message, { field, ...hint !== undefined && { hint } });
}

/** @throws {PublicError} `not_found` without an account. */
export function requireAccount(account: Account | null): Account {
  if (account !== null) return account;
  throw nothingHere("There is no such account.", "Find accounts at /desk/accounts.");
}
