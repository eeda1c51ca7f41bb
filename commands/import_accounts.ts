/** `foyer accounts import`: creates the accounts of a table, and their keys. */

import type { Command } from "commander";
import { importRows, planImport, readImport } from "../lib/accounts/import.ts";
import { decodeTable, GUESSED } from "../lib/platform/csv.ts";
import { counted } from "../lib/platform/text.ts";
import { type Act, Mistake, originOf, startProgress, subcommand, WHY, type Why } from "./frame.ts";

/** The number of mistakes that are reported: a table with more is probably the wrong one. */
const MAX_MISTAKES = 20;

/** Adds the subcommand. */
export function addImport(accounts: Command, act: Act): void {
  subcommand(
    accounts,
    "import <file>",
    "Create the accounts of a CSV file: name, reference, limit",
    [
      "import members.csv --dry-run  # what would be done, or each mistake by its line",
      "import members.csv --keys keys.jsonl  # again with a longer table: only the new accounts are created",
    ],
  )
    .option("--dry-run", "say what would be done, and do nothing")
    .option(
      "--keys <file>",
      "give each account without a key one, and write them here, a line of JSON each",
    )
    .option(...WHY)
    .action(act(async (
      place,
      path: string,
      options: { dryRun?: true; keys?: string } & Why,
    ) => {
      const { text, isGuessed } = await readTable(path);
      const { rows, mistakes } = await readImport(text);
      if (mistakes.length > 0) {
        const more = mistakes.length - MAX_MISTAKES;
        const listed = [
          ...mistakes.slice(0, MAX_MISTAKES),
          ...more > 0 ? [`and ${more} more`] : [],
        ];
        throw new Mistake(`nothing was imported: ${listed.join("; ")}`, 1);
      }
      const { dryRun: isDryRun = false, keys: keysPath } = options;
      const counts = { created: 0, changed: 0, unchanged: 0, keys: 0 };
      using keysFile = keysPath === undefined || isDryRun ? null : openNew(keysPath);
      if (isDryRun) {
        for (const { outcome } of await planImport(place.kv, rows)) counts[outcome]++;
      } else {
        using progress = startProgress(rows.length, "accounts");
        const { failure } = await importRows(place.kv, rows, originOf(place, options), {
          givesKeys: keysFile !== null,
          announce: ({ name, reference }, account, key) =>
            keysFile?.write({ name, reference, account, key }),
          report({ outcome, key }) {
            counts[outcome]++;
            if (key !== null) counts.keys++;
            progress.step();
          },
        });
        if (failure !== null) throw stopped(failure, counts, rows.length, keysPath);
      }
      return {
        json: { ...counts, isDryRun },
        text: `${isDryRun ? "Would create" : "Created"} ${counted(counts.created, "account")}` +
          `; limit changed: ${counts.changed}; unchanged: ${counts.unchanged}.` +
          (keysFile === null ? "" : ` ${counted(counts.keys, "key")} written to ${keysPath}.`),
        notes: isGuessed ? [GUESSED] : [],
      };
    }));
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
      /** Writes a line, and throws if the disk is full. */
      write(line: object): void {
        file.writeSync(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
      },
      [Symbol.dispose]: () => file.close(),
    };
  } catch (error) {
    const isThere = error instanceof Deno.errors.AlreadyExists;
    const reason = isThere ? "it exists already" : error instanceof Error ? error.message : error;
    throw new Mistake(`the keys cannot be written to ${path}: ${reason}`, 1);
  }
}

async function readTable(path: string): Promise<ReturnType<typeof decodeTable>> {
  try {
    return decodeTable(await Deno.readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new Mistake(`${path} cannot be read: ${reason}`, 1);
  }
}

/** The mistake of an import that has stopped midway. */
function stopped(
  failure: unknown,
  { created, changed, unchanged }: Readonly<Record<"created" | "changed" | "unchanged", number>>,
  all: number,
  keysPath: string | undefined,
): Mistake {
  const reason = failure instanceof Error ? failure.message : String(failure);
  const keys = keysPath === undefined
    ? ""
    : `. The keys so far are in ${keysPath}, of which the last ones may not exist; give another file next time`;
  return new Mistake(
    `stopped after ${created + changed + unchanged} of ${all} rows: ${reason}. ` +
      `Run it again: it does what is left${keys}`,
    1,
  );
}
