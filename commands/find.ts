/** Finds the account that a command line names. */

import type { Account } from "../lib/accounts/account.ts";
import { listAccountsNamed } from "../lib/accounts/find.ts";
import { Mistake } from "./frame.ts";

/**
 * Finds an account that is to be changed, as {@linkcode findAccount} does.
 *
 * @throws {Mistake} also if it is deleted.
 */
export async function findLivingAccount(kv: Deno.Kv, word: string): Promise<Account> {
  const account = await findAccount(kv, word);
  if (account.deletedAt === undefined) return account;
  throw new Mistake(`the account ${account.id} is deleted`, 1);
}

/**
 * Finds an account by its id, by its reference, or by its whole name if no other has it. Case and marks make no
 * difference: a member chooses a name, and must not be found in place of another whose name looks like it.
 *
 * @throws {Mistake} if there is none, or if several have the name.
 */
export async function findAccount(kv: Deno.Kv, word: string): Promise<Account> {
  const [found, ...others] = await listAccountsNamed(kv, word);
  if (found === undefined) {
    const hint = "`deno task accounts list <word>` finds one by a word of its name";
    throw new Mistake(`no account has the id or name “${word}”; ${hint}`, 1);
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(", ");
  throw new Mistake(`several accounts are named “${word}”; give the id, one of ${ids}`, 1);
}
