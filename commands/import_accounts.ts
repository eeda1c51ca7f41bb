/** `deno task accounts import`: creates the accounts of a table, and their keys. */

import {
  type Account,
  createKey,
  createReferredAccount,
  findNameFault,
  findReferenceFault,
  getAccountsByReference,
  listKeys,
  type Origin,
  updateAccount,
} from "../lib/proxy/mod.ts";
import { parseUsd } from "../lib/platform/money.ts";
import { createSemaphore } from "../lib/platform/semaphore.ts";
import { parseCsv } from "./csv.ts";
import { originOf, WHY } from "./origin.ts";
import { withProgress } from "./progress.ts";
import { type Command, Mistake, type Workplace } from "./tool.ts";
import { formatCount } from "./values.ts";

/** A line of the table. */
type Row = ReturnType<typeof readRows>[number];

/** The result of a row. */
type Outcome = "created" | "changed" | "unchanged";

const COLUMNS = ["name", "reference", "limit"];
/** The number of rows that are imported at once: a remote database takes some time for each. */
const AT_ONCE = 16;
/** The number of mistakes that are reported: a table with more is probably the wrong one. */
const MAX_MISTAKES = 20;

/** The command. */
export const importAccounts: Command = {
  summary: "Creates the accounts of a CSV file: name, reference, limit.",
  parameters: ["FILE"],
  options: {
    "dry-run": "say what would be done, and do nothing",
    "keys FILE": "give each account without a key one, and write them here, a line of JSON each",
    ...WHY,
  },
  examples: [
    ["import members.csv --dry-run", "what would be done, or each mistake by its line"],
    [
      "import members.csv --keys keys.jsonl",
      "again with a longer table: only the new accounts are created",
    ],
  ],
  async run(given, place) {
    const origin = originOf(given, place);
    const rows = readRows(await readText(given.argument("FILE")));
    const isDryRun = given.has("dry-run");
    const keysPath = given.option("keys");
    const known = await getAccountsByReference(place.kv, rows.map(({ reference }) => reference));
    const counts = { created: 0, changed: 0, unchanged: 0, keys: 0 };
    using keysFile = keysPath === null || isDryRun ? null : openNew(keysPath);
    const inTurn = createSemaphore(AT_ONCE);
    let count = 0;
    await withProgress(
      place.terminal,
      (done) => `${done} of ${formatCount(rows.length, "account")}`,
      (report) =>
        Promise.all(rows.map((row, at) =>
          inTurn(async () => {
            const before = known[at] ?? null;
            const { account, outcome } = isDryRun
              ? { account: before, outcome: outcomeOf(row, before) }
              : await apply(row, place, origin);
            counts[outcome]++;
            if (
              account !== null && keysFile !== null &&
              await giveKey(account, row, place, keysFile, origin)
            ) {
              counts.keys++;
            }
            report(++count);
          })
        )),
    );
    const { created, changed, unchanged, keys } = counts;
    return {
      json: { ...counts, isDryRun },
      text: `${isDryRun ? "Would create" : "Created"} ${formatCount(created, "account")}; ` +
        `limit changed: ${changed}; unchanged: ${unchanged}.` +
        (keysFile === null ? "" : ` Keys written to ${keysPath}: ${keys}.`),
    };
  },
};

function outcomeOf({ limitNanoUsd }: Row, before: Account | null): Outcome {
  if (before === null) return "created";
  return limitNanoUsd === null || limitNanoUsd === before.limitNanoUsd ? "unchanged" : "changed";
}

async function apply(
  row: Row,
  { kv }: Workplace,
  origin: Origin,
): Promise<{ readonly account: Account; readonly outcome: Outcome }> {
  const { name, reference, limitNanoUsd } = row;
  const asked = { name, reference, limitNanoUsd, verified: true };
  const { account, isNew } = await createReferredAccount(kv, asked, origin);
  if (isNew) return { account, outcome: "created" };
  const outcome = outcomeOf(row, account);
  if (outcome === "changed") await updateAccount(kv, account.id, { limitNanoUsd }, origin);
  return { account, outcome };
}

/** Creates a key for an account without one, and writes it to the file; false if the account has one. */
async function giveKey(
  { id }: Account,
  { name, reference }: Row,
  { kv }: Workplace,
  file: ReturnType<typeof openNew>,
  origin: Origin,
): Promise<boolean> {
  if ((await listKeys(kv, id)).length > 0) return false;
  const asked = { accountId: id, label: null, expiresAt: null };
  const { text } = await createKey(kv, asked, origin);
  file.write({ name, reference, account: id, key: text });
  return true;
}

/**
 * Opens a new file, which only its owner may read.
 *
 * @throws {Mistake} if the file exists: it may contain keys that are stored nowhere else.
 */
function openNew(path: string) {
  try {
    const file = Deno.openSync(path, { createNew: true, write: true, mode: 0o600 });
    return {
      write: (line: object) =>
        void file.writeSync(new TextEncoder().encode(`${JSON.stringify(line)}\n`)),
      [Symbol.dispose]: () => file.close(),
    };
  } catch (error) {
    const isThere = error instanceof Deno.errors.AlreadyExists;
    const reason = isThere ? "it exists already" : error instanceof Error ? error.message : error;
    throw new Mistake(`the keys cannot be written to ${path}: ${reason}`, 1);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new Mistake(
      `${path} cannot be read: ${error instanceof Error ? error.message : error}`,
      1,
    );
  }
}

/** @throws {Mistake} naming each mistake and its line. */
function readRows(text: string) {
  const [head, ...lines] = parseCsv(text);
  const names = head?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  const [nameAt, referenceAt, limitAt] = COLUMNS.map((column) => names.indexOf(column));
  if (nameAt === undefined || nameAt < 0 || referenceAt === undefined || referenceAt < 0) {
    throw new Mistake("the first line must name the columns: name,reference and perhaps limit", 1);
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
    /** A limit of null is left as it is: the default for a new account. */
    return { name, reference, limitNanoUsd };
  });
  if (mistakes.length === 0) return rows;
  const more = mistakes.length - MAX_MISTAKES;
  const listed = [...mistakes.slice(0, MAX_MISTAKES), ...more > 0 ? [`and ${more} more`] : []];
  throw new Mistake(`nothing was imported: ${listed.join("; ")}`, 1);
}
