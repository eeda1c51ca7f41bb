/** `foyer accounts import`: creates the accounts of a table, and their keys. */

import type { Command } from "commander";
import { importRows, planImport, readImport } from "../lib/proxy/mod.ts";
import { counted } from "../lib/platform/text.ts";
import { type Act, Mistake, originOf, subcommand, WHY, type Why } from "./frame.ts";

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
      const { rows, mistakes } = readImport(await readText(path));
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
        await importRows(place.kv, rows, originOf(place, options), {
          givesKeys: keysFile !== null,
          report({ row: { name, reference }, account, outcome, key }) {
            counts[outcome]++;
            if (key === null) return;
            counts.keys++;
            keysFile?.write({ name, reference, account: account.id, key });
          },
        });
      }
      return {
        json: { ...counts, isDryRun },
        text: `${isDryRun ? "Would create" : "Created"} ${counted(counts.created, "account")}` +
          `; limit changed: ${counts.changed}; unchanged: ${counts.unchanged}.` +
          (keysFile === null ? "" : ` ${counted(counts.keys, "key")} written to ${keysPath}.`),
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
    const reason = error instanceof Error ? error.message : error;
    throw new Mistake(`${path} cannot be read: ${reason}`, 1);
  }
}
