/**
 * The index of accounts by name: an entry for each word of a name, under the folded text from that word on. A search
 * for the beginning of any word is then one range. Entries are written and removed in the commit of the account.
 */

const ACCOUNT_NAME = "account_name";
/** A name has a few words; this bounds the entries of one that has many. */
const MAX_WORDS = 10;
/** Normalisation lengthens some characters, and a key holds at most 2 KiB. */
const MAX_FOLDED_LENGTH = 100;
/** Sorts after every other character. */
const LAST_CHARACTER = "\u{10ffff}";

/** The facts of an account from which its entries are made. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly deletedAt?: number;
}

/** A name as it is compared: without case, marks, or forms of the same letter. */
export function foldName(name: string): string {
  const plain = name.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return [...plain.trim().replace(/\s+/g, " ")].slice(0, MAX_FOLDED_LENGTH).join("");
}

/** The beginning of one text of every name, and of no searched text: all accounts by name are one range. */
export const ANY_NAME = " ";

/** The folded texts of a name: the whole one after {@linkcode ANY_NAME}, and the rest of it from each word on. */
export function nameTexts(name: string): string[] {
  const folded = foldName(name);
  const starts = [...folded.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index);
  const rests = [...new Set([0, ...starts])].slice(0, MAX_WORDS).map((at) => folded.slice(at));
  return [`${ANY_NAME}${folded}`, ...rests];
}

/** The keys of an account's entries. A deleted account has none: its name is gone. */
export function nameKeys({ id, name, deletedAt }: Named): Deno.KvKey[] {
  return deletedAt === undefined ? nameTexts(name).map((text) => [ACCOUNT_NAME, text, id]) : [];
}

/** Brings the entries of an account up to date in the commit that sets it. */
export function setNameEntries(
  operation: Deno.AtomicOperation,
  before: Named | null,
  after: Named,
): void {
  const [old, current] = [before === null ? [] : nameKeys(before), nameKeys(after)];
  if (String(old) === String(current)) return;
  for (const key of old) operation.delete(key);
  for (const key of current) operation.set(key, true);
}

/** The prefix of the entries of all accounts that have this whole name. */
export const wholeNamePrefix = (name: string): Deno.KvKey => [
  ACCOUNT_NAME,
  `${ANY_NAME}${foldName(name)}`,
];

/** The entries whose text begins with a folded one, from after another entry if it is given. */
export function nameRange(folded: string, after: Deno.KvKey | null) {
  return {
    start: after === null ? [ACCOUNT_NAME, folded] : [...after, 0],
    end: [ACCOUNT_NAME, `${folded}${LAST_CHARACTER}`],
  };
}
