/** Accounts made from a table of the organisation's own: name, reference, limit. */

import { parseCsv, TableError } from "../platform/csv.ts";
import { type NanoUsd, parseUsd } from "../platform/money.ts";
import { createSemaphore } from "../platform/semaphore.ts";
import { forEachInSlices } from "../platform/timeout.ts";
import { type Account, findNameFault, updateAccount } from "./account.ts";
import type { Origin } from "./audit_log.ts";
import { createKey, listKeys } from "./key.ts";
import { createReferredAccount, findReferenceFault, getAccountsByReference } from "./reference.ts";

/** A line of the table. */
export interface ImportRow {
  readonly name: string;
  readonly reference: string;
  /** Null leaves a limit as it is: the default for a new account. */
  readonly limitNanoUsd: NanoUsd | null;
}

/** The effect of an import on the account of a row. */
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
/** A larger table is imported in parts. */
export const MAX_IMPORT_ROWS = 20_000;

/** Reads a table as CSV. If there are mistakes, each names its line, and there are no rows. */
export async function readImport(
  text: string,
): Promise<{ readonly rows: readonly ImportRow[]; readonly mistakes: readonly string[] }> {
  const mistakes: string[] = [];
  const rows: ImportRow[] = [];
  const lineOf = new Map<string, number>();
  let readRow: ReturnType<typeof createRowReader> | null = null;
  try {
    await forEachInSlices(parseCsv(text), ({ line, cells }) => {
      if (readRow === null) {
        readRow = createRowReader(cells);
        return;
      }
      if (rows.length === MAX_IMPORT_ROWS) {
        throw new TableError(
          `the table has more than ${MAX_IMPORT_ROWS} rows; import it in several parts`,
        );
      }
      const { row, faults } = readRow(cells);
      const other = lineOf.get(row.reference);
      if (other !== undefined && row.reference !== "") {
        faults.push(`line ${other} has the reference “${row.reference}” too`);
      }
      lineOf.set(row.reference, line);
      for (const fault of faults) mistakes.push(`line ${line}: ${fault}`);
      rows.push(row);
    });
    if (rows.length === 0) throw new TableError("the table has no row below its head");
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    mistakes.unshift(error.message);
  }
  return { rows: mistakes.length === 0 ? rows : [], mistakes };
}

/** Makes the reader of rows below a head. @throws {TableError} if the head does not name the columns. */
function createRowReader(head: readonly string[]) {
  const names = head.map((name) => name.trim().toLowerCase());
  const twice = COLUMNS.find((column) => names.indexOf(column) !== names.lastIndexOf(column));
  if (twice !== undefined) throw new TableError(`the column “${twice}” is named twice`);
  const [nameAt = -1, referenceAt = -1, limitAt = -1] = COLUMNS.map((column) =>
    names.indexOf(column)
  );
  if (nameAt < 0 || referenceAt < 0) {
    throw new TableError(
      "the first line must name the columns: name,reference and perhaps limit",
    );
  }
  return (cells: readonly string[]) => {
    const faults: string[] = [];
    if (cells.slice(names.length).some((each) => each.trim() !== "")) {
      faults.push(
        "it has more cells than the first line; put a cell with a comma into double quotes",
      );
    }
    const cell = (at: number) => plainCell(cells[at] ?? "");
    const [name, reference, limit] = [cell(nameAt), cell(referenceAt), cell(limitAt)];
    const nameFault = findNameFault(name);
    if (nameFault !== null) faults.push(`the name ${nameFault}`);
    const referenceFault = findReferenceFault(reference);
    if (referenceFault !== null) faults.push(`the reference ${referenceFault}`);
    if (/^\d(?:[.,]\d+)?E\+?\d+$/i.test(reference)) {
      faults.push(
        `the reference “${reference}” is a number that the spreadsheet has shortened; format the column as text`,
      );
    }
    const limitNanoUsd = limit === "" ? null : readLimit(limit);
    if (limit !== "" && limitNanoUsd === null) {
      faults.push(
        `the limit “${limit}” is not an amount of US dollars such as 4, 0.50 or 0,50, without separators of thousands`,
      );
    }
    return { row: { name, reference, limitNanoUsd }, faults };
  };
}

/** A cell without what only keeps a spreadsheet from reading it: `="007"` and `'=x` stand for the text in them. */
function plainCell(text: string): string {
  const trimmed = text.trim().normalize("NFC");
  const [, quoted] = /^="(.*)"$/.exec(trimmed) ?? [];
  return (quoted ?? trimmed.replace(/^'(?=[=+@-])/, "")).trim();
}

/** An amount, perhaps with a dollar sign. A comma before one or two digits is a decimal comma. */
function readLimit(text: string): NanoUsd | null {
  const plain = text.replace(/^\$\s*|\s*(?:\$|USD)$/gi, "");
  return parseUsd(plain.replace(/^(\d+),(\d{1,2})$/, "$1.$2"));
}

/** The effects that an import of some rows would have, in their order; the account is null for a new one. */
export async function planImport(kv: Deno.Kv, rows: readonly ImportRow[]) {
  const known = await getAccountsByReference(kv, rows.map(({ reference }) => reference));
  return rows.map((row, at) => {
    const account = known[at] ?? null;
    return { row, account, outcome: outcomeOf(row, account) };
  });
}

/**
 * Imports rows: creates the accounts whose reference is new, and changes the limits of the others. The first failure
 * begins no further row. An import that is run again does what is left.
 *
 * @param announce is called with each new key before it is stored, so that no key works that was not told.
 * @returns the rows that were imported, and the failure, or null.
 */
export async function importRows(
  kv: Deno.Kv,
  rows: readonly ImportRow[],
  origin: Origin,
  { givesKeys, announce = () => {}, report = () => {} }: {
    /** Whether each account without a key gets one. */
    readonly givesKeys: boolean;
    readonly announce?: (row: ImportRow, accountId: string, key: string) => void;
    /** Is called after each row. */
    readonly report?: (imported: Imported) => void;
  },
): Promise<{ readonly imported: readonly Imported[]; readonly failure: unknown }> {
  const inTurn = createSemaphore(AT_ONCE);
  const imported: Imported[] = [];
  let failure: unknown = null;
  const importOne = async (row: ImportRow) => {
    if (failure !== null) return;
    try {
      const { account, outcome } = await importRow(kv, row, origin);
      const told = (key: string) => announce(row, account.id, key);
      const key = givesKeys ? await giveKey(kv, account.id, origin, told) : null;
      const one = { row, account, outcome, key };
      imported.push(one);
      report(one);
    } catch (error) {
      failure ??= error;
    }
  };
  await Promise.all(rows.map((row) => inTurn(() => importOne(row))));
  return { imported, failure };
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
async function giveKey(
  kv: Deno.Kv,
  accountId: string,
  origin: Origin,
  announce: (key: string) => void,
): Promise<string | null> {
  if ((await listKeys(kv, accountId)).length > 0) return null;
  const asked = { accountId, label: null, expiresAt: null };
  return (await createKey(kv, asked, origin, announce)).text;
}
