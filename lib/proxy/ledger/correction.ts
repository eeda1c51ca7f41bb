/** The correction of a charge by an operator: a usage record of its own kind, in the books of the account. */

import { z } from "zod";
import { addAuditEntry, type Origin, OutdatedError } from "../../accounts/audit_log.ts";
import { digestOf } from "../../platform/digest.ts";
import type { NanoUsd } from "../../platform/money.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import type { StartTimer } from "../../platform/timeout.ts";
import { listEntries } from "../../platform/kv/list.ts";
import { correct, isRequest, USAGE_DAYS } from "./transitions.ts";
import { dayBefore, dayOf } from "../../platform/utc_days.ts";
import { createQueue } from "./internal/queue.ts";
import type { UsageRecord } from "./values.ts";

/** The endpoint and the key that corrections are counted by. */
const CORRECTION = "correction";
/** The members of a correction in the audit log. */
const MEMBERS = {
  correctionNanoUsd: { what: "correct" },
  day: { what: "correct" },
  requestId: { what: "correct" },
};

/** A correction that an operator asks for. One that is asked for again, such as by a second click, is booked once. */
interface AskedCorrection {
  /** When the operator began to ask (epoch milliseconds): that of the form, or of the command. */
  readonly at: number;
  readonly accountId: string;
  /** The UTC day whose charges are corrected, `2026-11-21`. */
  readonly day: string;
  /** The amount that is added to them; negative to book it back. */
  readonly amount: NanoUsd;
  /** Why, for the member and the audit log. */
  readonly reason: string;
  /** The request that was charged wrongly, if it is known. */
  readonly requestId?: string | undefined;
}

/** Whether there are ClickHouse and a limit of all accounts together, as the ledger's options say. */
interface CorrectionOptions {
  readonly hasOutbox: boolean;
  readonly hasServiceLimit: boolean;
}

/** A correction that cannot be booked; the message says why, for the operator. */
export class CorrectionError extends Error {
  override name = "CorrectionError";
}

/**
 * Books a correction, with its entry in the audit log, in one commit. The caps of keys are left as they are.
 *
 * @param startTimer starts the pauses after conflicts; that of the platform by default.
 * @throws {CorrectionError} if the day, the amount or the request cannot be corrected.
 * @throws {OutdatedError} if it was asked for more than a day ago.
 */
export async function correctCharge(
  kv: Deno.Kv,
  asked: AskedCorrection,
  { hasOutbox, hasServiceLimit }: CorrectionOptions,
  origin: Origin,
  startTimer?: StartTimer,
): Promise<UsageRecord> {
  const { at, accountId, day, amount, reason, requestId } = asked;
  const { at: now } = origin;
  if (!(Math.abs(now - at) < DAY_MILLISECONDS)) {
    throw new OutdatedError("The form is more than a day old. Send it again if it still applies.");
  }
  const first = dayBefore(dayOf(now), USAGE_DAYS - 1);
  if (!z.iso.date().safeParse(day).success || day < first || day > dayOf(now)) {
    throw new CorrectionError(`A charge can be corrected on the days from ${first} to today.`);
  }
  if (amount === 0n) throw new CorrectionError("The amount of a correction is not zero.");
  if (reason === "") throw new CorrectionError("A correction needs a reason.");
  if (requestId !== undefined && !await hasRequest(kv, accountId, day, requestId)) {
    throw new CorrectionError(`The account was charged for no request of this id on ${day}.`);
  }
  const record: UsageRecord = {
    requestId: `cor_${
      digestOf(JSON.stringify([at, accountId, day, `${amount}`, reason, requestId]))
    }`,
    accountId,
    keyId: CORRECTION,
    day,
    endpoint: CORRECTION,
    model: null,
    at,
    cost: amount,
    costFrom: "operator",
    inputTokens: null,
    outputTokens: null,
    status: null,
    durationMs: null,
    reason,
    ...requestId !== undefined && { corrects: requestId },
  };
  const after = { correctionNanoUsd: amount, day, requestId: requestId ?? null };
  const transition = correct(record, { hasOutbox, hasServiceLimit }, (transaction) => {
    addAuditEntry(transaction, {
      accountId,
      members: MEMBERS,
      before: null,
      after,
      what: "correct",
    }, {
      ...origin,
      why: reason,
    });
  });
  const left = await createQueue({ kv, now: () => now, ...startTimer && { startTimer } }).run(
    transition,
  );
  if (left < 0n) {
    throw new CorrectionError(`More would be booked back than the account was charged on ${day}.`);
  }
  return record;
}

async function hasRequest(
  kv: Deno.Kv,
  accountId: string,
  day: string,
  requestId: string,
): Promise<boolean> {
  for await (const { value } of listEntries<UsageRecord>(kv, ["usage", accountId, day])) {
    if (value.requestId === requestId && isRequest(value)) return true;
  }
  return false;
}
