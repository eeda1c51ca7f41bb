/** Finds the account that a command line names. */

import {
  type Account,
  findAccounts,
  foldName,
  getAccount,
  getAccountByReference,
  getAccountsByName,
} from "../lib/proxy/mod.ts";
import { nearestName } from "../lib/platform/nearest.ts";
import { Mistake } from "./frame.ts";

/** A name at more edits is not a misspelling. */
const MAX_DISTANCE = 3;

/**
 * Finds an account by its id, by its reference, or by its whole name if no other has it. Case and marks make no
 * difference: a member chooses a name, and must not be found in place of another whose name looks like it.
 *
 * @throws {Mistake} if there is none, with the nearest name, or if several have the name.
 */
export async function findAccount(kv: Deno.Kv, word: string): Promise<Account> {
  const named = await getAccount(kv, word) ?? await getAccountByReference(kv, word);
  if (named !== null) return named;
  const [found, ...others] = await getAccountsByName(kv, word);
  if (found === undefined) {
    const near = await nearestOf(kv, word);
    const hint = near === null
      ? "`deno task accounts list` lists all"
      : `the nearest is “${near.name}” (${near.id})`;
    throw new Mistake(`no account has the id or name “${word}”; ${hint}`, 1);
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(", ");
  throw new Mistake(`several accounts are named “${word}”; give the id, one of ${ids}`, 1);
}

/** An account of whose name a word begins with the text, or whose name is near it; null if none is. */
async function nearestOf(kv: Deno.Kv, text: string): Promise<Account | null> {
  const folded = foldName(text);
  const [begins] = (await findAccounts(kv, text)).accounts;
  if (begins !== undefined) return begins;
  const { accounts } = await findAccounts(kv, folded.slice(0, 1));
  const names = accounts.map(({ name }) => foldName(name));
  const { name = "", edits = Infinity } = nearestName(folded, names) ?? {};
  const isNear = edits <= Math.min(MAX_DISTANCE, name.length / 2);
  return isNear ? accounts[names.indexOf(name)] ?? null : null;
}
