/**
 * Answers questions from the books. Their sums tell the requests, the cost and the failures by account, endpoint, key and
 * day, for 400 days, at one read for each day or account. Everything else is in the usage records, one for each
 * request, which are kept for 100 days and read for 31 at most.
 */

import type { DaySums } from "../ledger/values.ts";
import { listAccountDays, listUsageOfDays, readDays } from "../ledger/read.ts";
import { daysFrom } from "../ledger/retention.ts";
import type { Answer, Question } from "./question.ts";
import { createTally } from "./tally.ts";

/** The number of days of which a question may read the records. */
export const RECORD_DAYS = 31;

/** Whether a question needs records: sums do not know the model and the status. */
export function needsRecords({ by }: Pick<Question, "by">): boolean {
  return by === "model" || by === "status";
}

/**
 * Answers from the sums.
 *
 * @throws {TypeError} for a question that {@linkcode needsRecords}.
 * @throws {NewerVersionError} if a newer version of the program wrote an account's ledger value.
 */
export async function askSums(kv: Deno.Kv, question: Question): Promise<Answer> {
  const { from, to, accountId, by } = question;
  if (needsRecords(question)) throw new TypeError(`sums do not know the ${by}`);
  const tally = createTally(by, false);
  function add(day: string, ofAccount: string, sums: DaySums): void {
    const groups = by === "key" ? sums.byKey ?? {} : sums.byEndpoint;
    for (const [name, { requests, failures, spent }] of Object.entries(groups)) {
      const key = by === "account" ? ofAccount : by === "day" ? day : name;
      tally.add(key, { requests, failed: failures, cost: spent });
    }
  }
  const days = daysFrom(from, to);
  if (accountId !== null) {
    const found = await readDays(kv, accountId, days);
    for (const [index, sums] of found.entries()) add(days[index] ?? "", accountId, sums);
  } else {
    for (const day of days) {
      for await (const accounts of listAccountDays(kv, day)) {
        for (const { accountId, sums } of accounts) add(day, accountId, sums);
      }
    }
  }
  return tally.answer();
}

/**
 * Answers from the usage records, with all details.
 *
 * @throws {RangeError} for more than {@linkcode RECORD_DAYS} days.
 */
export async function askRecords(
  kv: Deno.Kv,
  { from, to, accountId, by }: Question,
): Promise<Answer> {
  const days = daysFrom(from, to);
  if (days.length > RECORD_DAYS) throw new RangeError(`records are read for ${RECORD_DAYS} days`);
  const tally = createTally(by, true);
  for await (const { value } of listUsageOfDays(kv, days, accountId)) tally.addRecord(value);
  return tally.answer();
}
