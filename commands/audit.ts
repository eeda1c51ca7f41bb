/** `deno task accounts audit`: checks whether the books are right. */

import {
  auditAccount,
  type BookDifference,
  dayOf,
  daysUntil,
  listAccounts,
  USAGE_DAYS,
} from "../lib/proxy/mod.ts";
import { withProgress } from "./progress.ts";
import type { Command } from "./tool.ts";
import { formatCount, formatDay, toDayJson } from "./values.ts";

/** The command. */
export const audit: Command = {
  summary: "Compares each day's sums with its usage records and open reservations.",
  options: { correct: "correct the days that differ" },
  examples: [
    ["audit", "reports what differs; exit code 1 if anything does"],
    ["audit --correct", "also corrects it"],
  ],
  async run(given, { kv, now, terminal }) {
    // The usage records of earlier days may have expired.
    const from = daysUntil(dayOf(now()), USAGE_DAYS - 1).at(-1) ?? null;
    const options = { from, correct: given.has("correct") };
    const differences: BookDifference[] = [];
    const accounts = await withProgress(
      terminal,
      (count) => `${formatCount(count, "account")} compared`,
      async (report) => {
        let count = 0;
        for await (const { id } of listAccounts(kv)) {
          differences.push(...await auditAccount(kv, id, options));
          report(++count);
        }
        return count;
      },
    );
    const left = differences.filter(({ isCorrected }) => !isCorrected).length;
    return {
      json: { accounts, differences: differences.map(toDifferenceJson) },
      text: [
        ...differences.map((each) =>
          `${each.isCorrected ? "Corrected: " : ""}${differenceInWords(each)}`
        ),
        differences.length === 0
          ? `The books of ${formatCount(accounts, "account")} are right.`
          : `${formatCount(differences.length, "day differs", "days differ")}, ` +
            `${differences.length - left} corrected.`,
      ].join("\n"),
      ...left > 0 && { exitCode: 1 as const },
    };
  },
};

/** A difference for `--json`. */
export function toDifferenceJson({ book, records, ...rest }: BookDifference) {
  return { ...rest, book: toDayJson(book), records: toDayJson(records) };
}

/** A difference for people. */
export function differenceInWords(
  { accountId, day, book, records, twice }: BookDifference,
): string {
  const both = twice === 0 ? "" : `; ${formatCount(twice, "request")} both reserved and booked`;
  return `${accountId} on ${day}: the book has ${formatDay(book)}; its records have ` +
    `${formatDay(records)}${both}.`;
}
