/** Finds the accounts that a command line names. */

import {
  type Account,
  findReferenceFault,
  getAccount,
  getAccountByReference,
  listAccounts,
} from "../lib/proxy/mod.ts";
import { nearestName } from "../lib/platform/nearest.ts";
import { Mistake } from "./tool.ts";

/** A name at more edits is not a misspelling. */
const MAX_DISTANCE = 3;

/**
 * Finds an account by its id, by its reference, or by its name if no other has it. Upper and lower case make no
 * difference: a member chooses a name, and must not be found in place of another whose name differs in case alone.
 *
 * @throws {Mistake} if there is none, with the nearest name, or if several have the name.
 */
export async function findAccount(kv: Deno.Kv, idOrName: string): Promise<Account> {
  const account = await getAccount(kv, idOrName);
  if (account !== null) return account;
  const isReference = findReferenceFault(idOrName) === null;
  const referred = isReference ? await getAccountByReference(kv, idOrName) : null;
  if (referred !== null) return referred;
  const all = await listByAge(kv);
  const folded = foldName(idOrName);
  const [found, ...others] = all.filter(({ name }) => foldName(name) === folded);
  if (found === undefined) {
    const near = nearestOf(folded, all);
    throw new Mistake(
      `no account has the id or name “${idOrName}”; ` +
        (near === null
          ? "`deno task accounts list` lists all"
          : `the nearest is “${near.name}” (${near.id})`),
      1,
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(", ");
  throw new Mistake(`several accounts are named “${idOrName}”; give the id, one of ${ids}`, 1);
}

/** A name as commands compare it: the same text for names that differ in case or in the form of a letter alone. */
export const foldName = (name: string): string => name.normalize("NFKC").toLowerCase();

/** The account whose name begins with the text or is near it; null if none is. */
function nearestOf(folded: string, all: readonly Account[]): Account | null {
  const names = all.map(({ name }) => foldName(name));
  const begins = names.findIndex((name) => name.startsWith(folded));
  if (begins >= 0) return all[begins] ?? null;
  const { name = "", edits = Infinity } = nearestName(folded, names) ?? {};
  const isNear = edits <= Math.min(MAX_DISTANCE, name.length / 2);
  return isNear ? all[names.indexOf(name)] ?? null : null;
}

/** All accounts, the oldest first. */
export async function listByAge(kv: Deno.Kv): Promise<Account[]> {
  const all = await Array.fromAsync(listAccounts(kv));
  return all.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
