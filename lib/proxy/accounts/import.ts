/** Accounts made from a table of the organisation's own: name, reference, limit. */

import { parseCsv } from "../../platform/csv.ts";
import { type NanoUsd, parseUsd } from "../../platform/money.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import { type Account, findNameFault, updateAccount } from "./account.ts";
import type { Origin } from "./changes.ts";
import { createKey, listKeys } from "./key.ts";
import { createReferredAccount, findReferenceFault, getAccountsByReference } from "./reference.ts";

/** A line of the table. */
export interface ImportRow {
  readonly name: string;
  readonly reference: string;
  /** Null leaves a limit as it is: the default for a new account. */
  readonly limitNanoUsd: NanoUsd | null;
}

/** What an import does to the account of a row. */
type ImportOutcome = "created" | "changed" | "unchanged";

/** A row that was imported. */
export interface Imported {
  readonly row: ImportRow;
  readonly account: Account;
  readonly outcome: ImportOutcome;
  /** The text of a new key, which is stored nowhere; null for none. */
  readonly key: string | null;
}

const COLUMNS = ["name", "reference", "limit"];
/** The number of rows that are imported at once: a remote database takes some time for each. */
const AT_ONCE = 16;

/** Reads a table as CSV. If there are mistakes, each names its line, and there are no rows. */
export function readImport(
  text: string,
): { readonly rows: readonly ImportRow[]; readonly mistakes: readonly string[] } {
  const [head, ...lines] = parseCsv(text);
  const names = head?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  const [nameAt, referenceAt, limitAt] = COLUMNS.map((column) => names.indexOf(column));
  if (nameAt === undefined || nameAt < 0 || referenceAt === undefined || referenceAt < 0) {
    const mistake = "the first line must name the columns: name,reference and perhaps limit";
    return { rows: [], mistakes: [mistake] };
  }
  const mistakes: string[] = [];
  const lineOf = new Map<string, number>();
  const rows = lines.map(({ line, cells }) => {
    const cell = (at = -1) => (cells[at] ?? "").trim();
    const [name, reference, limit] = [cell(nameAt), cell(referenceAt), cell(limitAt)];
    const note = (mistake: string) => void mistakes.push(`line ${line}: ${mistake}`);
    const nameFault = findNameFault(name);
    if (nameFault !== null) note(`the name ${nameFault}`);
    const referenceFault = findReferenceFault(reference);
    if (referenceFault !== null) note(`the reference ${referenceFault}`);
    const other = lineOf.get(reference);
    if (other !== undefined) note(`line ${other} has the reference “${reference}” too`);
    lineOf.set(reference, line);
    const limitNanoUsd = limit === "" ? null : parseUsd(limit);
    if (limit !== "" && limitNanoUsd === null) {
      note(`the limit “${limit}” is not an amount of US dollars such as 4 or 0.50`);
    }
    return { name, reference, limitNanoUsd };
  });
  return { rows: mistakes.length === 0 ? rows : [], mistakes };
}

/** What an import of some rows would do, in their order; the account is null for a new one. */
export async function planImport(kv: Deno.Kv, rows: readonly ImportRow[]) {
  const known = await getAccountsByReference(kv, rows.map(({ reference }) => reference));
  return rows.map((row, at) => {
    const account = known[at] ?? null;
    return { row, account, outcome: outcomeOf(row, account) };
  });
}

/**
 * Imports rows: creates the accounts whose reference is new, and changes the limits of the others.
 *
 * @param report is called with each row as soon as it is imported.
 */
export async function importRows(
  kv: Deno.Kv,
  rows: readonly ImportRow[],
  origin: Origin,
  { givesKeys, report = () => {} }: {
    /** Whether each account without a key gets one. */
    readonly givesKeys: boolean;
    readonly report?: (imported: Imported) => void;
  },
): Promise<Imported[]> {
  const inTurn = createSemaphore(AT_ONCE);
  return await Promise.all(rows.map((row) =>
    inTurn(async () => {
      const { account, outcome } = await importRow(kv, row, origin);
      const key = givesKeys ? await giveKey(kv, account.id, origin) : null;
      const imported = { row, account, outcome, key };
      report(imported);
      return imported;
    })
  ));
}

function outcomeOf({ limitNanoUsd }: ImportRow, before: Account | null): ImportOutcome {
  if (before === null) return "created";
  return limitNanoUsd === null || limitNanoUsd === before.limitNanoUsd ? "unchanged" : "changed";
}

async function importRow(kv: Deno.Kv, row: ImportRow, origin: Origin) {
  const { account, isNew } = await createReferredAccount(kv, { ...row, verified: true }, origin);
  if (isNew) return { account, outcome: "created" } as const;
  const outcome = outcomeOf(row, account);
  if (outcome === "changed") {
    await updateAccount(kv, account.id, { limitNanoUsd: row.limitNanoUsd }, origin);
  }
  return { account, outcome };
}

/** Creates a key for an account without one; null if it has one. */
async function giveKey(kv: Deno.Kv, accountId: string, origin: Origin): Promise<string | null> {
  if ((await listKeys(kv, accountId)).length > 0) return null;
  return (await createKey(kv, { accountId, label: null, expiresAt: null }, origin)).text;
}
