/** Finds the accounts that a command line names. */

import { type Account, getAccount, isAccountId, listAccounts } from "../lib/accounts/mod.ts";
import type { LeaveOut, NewerFormatError } from "../lib/kv/mod.ts";
import { Mistake } from "./tool.ts";
import { formatCount } from "./values.ts";

/**
 * Finds an account by its id, or by its name if no other has it.
 *
 * @throws {Mistake} if there is none, or if several have the name.
 */
export async function findAccount(kv: Deno.Kv, idOrName: string): Promise<Account> {
  const account = isAccountId(idOrName) ? await getAccount(kv, idOrName) : null;
  if (account !== null) return account;
  const [found, ...others] = await listNamesakes(kv, idOrName);
  if (found === undefined) {
    throw new Mistake(
      `no account has the id or name “${idOrName}”; \`deno task accounts list\` lists all`,
      1,
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(", ");
  throw new Mistake(`several accounts are named “${idOrName}”; give the id, one of ${ids}`, 1);
}

/** The accounts with a name, the oldest first. */
export async function listNamesakes(
  kv: Deno.Kv,
  name: string,
  leaveOut?: LeaveOut,
): Promise<Account[]> {
  const all = await Array.fromAsync(listAccounts(kv, leaveOut));
  return all.filter((account) => account.name === name).sort(byAge);
}

/** Collects values of a newer format, which a command leaves out, for a note. */
export function collectNewer(): { readonly leaveOut: LeaveOut; notes(): string[] } {
  const errors: NewerFormatError[] = [];
  return {
    leaveOut: (error) => void errors.push(error),
    notes() {
      const [first] = errors;
      if (first === undefined) return [];
      const count = formatCount(errors.length, "value is", "values are");
      return [`${count} left out${errors.length === 1 ? "" : ", such as"}: ${first.message}`];
    },
  };
}

/** The order of lists: the oldest account first. */
export function byAge(a: Account, b: Account): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
