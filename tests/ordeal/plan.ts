/** The faults of an ordeal and their times: the same for the same seed and length. */

import type { AirtableFault } from "../../lib/sandbox/airtable.ts";
import { FAULT_STATUSES } from "../../lib/sandbox/provider_answer.ts";
import type { ProviderFault } from "../../lib/sandbox/provider_faults.ts";
import { createRandom, type Random } from "../../lib/sandbox/random.ts";

/** One fault or change of the service or of its dependencies. */
export type Step =
  | { readonly kind: "provider"; readonly which: Which; readonly fault: ProviderFault }
  | { readonly kind: "store"; readonly faults: readonly AirtableFault[] }
  /** Records change, appear and disappear. */
  | { readonly kind: "change" }
  | { readonly kind: "kill" | "term"; readonly process: 0 | 1 }
  /** From now on, the clock of one process is so far ahead. */
  | { readonly kind: "clock"; readonly process: 0 | 1; readonly ahead: number }
  /** Another process holds the database's write lock. */
  | { readonly kind: "lock"; readonly milliseconds: number }
  /** The disk is full. */
  | { readonly kind: "full"; readonly milliseconds: number };

/** A provider of the proxy. */
type Which = "websearch" | "decision";

/** A step and its moment, in milliseconds from the start. */
export type Planned = Step & { readonly at: number };

/** The average time between steps, in milliseconds. */
const PACE_MILLISECONDS = 700;
const MINUTE = 60_000;

const PROVIDER_FAULTS: readonly ((random: Random) => ProviderFault)[] = [
  (random) => ({ kind: "delay", ms: random.int(10, 2_000) }),
  () => ({ kind: "hang" }),
  (random) => ({ kind: "stall", ms: random.int(10, 3_000) }),
  () => ({ kind: "stall" }),
  () => ({ kind: "reset" }),
  () => ({ kind: "reset", after: "headers" }),
  () => ({ kind: "cut" }),
  () => ({ kind: "truncated" }),
  (random) => ({ kind: "status", status: random.pick(FAULT_STATUSES) }),
  () => ({ kind: "status", status: 429, retryAfterSeconds: 1 }),
  () => ({ kind: "garbage" }),
  () => ({ kind: "html" }),
  () => ({ kind: "content-type", contentType: "text/plain" }),
  () => ({ kind: "split" }),
  () => ({ kind: "missing-cost" }),
  (random) => ({ kind: "huge", bytes: random.int(1_000_000, 8_000_000), length: true }),
  () => ({ kind: "gzip" }),
  () => ({ kind: "redirect" }),
  () => ({ kind: "no-length" }),
];

const STORE_FAULTS: readonly ((random: Random) => readonly AirtableFault[])[] = [
  (random) => [{ kind: "delay", ms: random.int(100, 3_000) }],
  () => [{ kind: "hang" }],
  () => [{ kind: "reset" }, { kind: "reset" }],
  () => [{ kind: "status", status: 500 }],
  () => [{ kind: "status", status: 429, retryAfterSeconds: 2 }],
  () => [{ kind: "garbage" }],
  () => [{ kind: "html" }],
  () => [{ kind: "truncated" }],
  () => [{ kind: "cut" }],
  () => [{ kind: "duplicate-ids" }],
  () => [{ kind: "iterator-death" }],
];

/** Makes the plan, in the order of time. Its last tenth has no faults. */
export function makePlan(seed: string, minutes: number): Planned[] {
  const random = createRandom(`ordeal ${seed}`);
  const end = minutes * MINUTE * 0.9;
  const plan: Planned[] = [];
  let at = 0;
  while ((at += random.int(1, 2 * PACE_MILLISECONDS)) < end) plan.push({ at, ...makeStep(random) });
  return plan;
}

function makeStep(random: Random): Step {
  const process = random.int(0, 1) === 0 ? 0 : 1;
  const chance = random.next();
  if (chance < 0.5) {
    const which = random.pick<Which>(["websearch", "decision"]);
    return { kind: "provider", which, fault: random.pick(PROVIDER_FAULTS)(random) };
  }
  if (chance < 0.62) return { kind: "store", faults: random.pick(STORE_FAULTS)(random) };
  if (chance < 0.8) return { kind: "change" };
  if (chance < 0.86) return { kind: "kill", process };
  if (chance < 0.9) return { kind: "term", process };
  if (chance < 0.94) {
    // As after a correction of the clock, or after a sleep of the machine.
    return { kind: "clock", process, ahead: random.pick([-3_000, 0, 3_000, 90_000, 400_000]) };
  }
  if (chance < 0.97) return { kind: "lock", milliseconds: random.int(50, 2_000) };
  return { kind: "full", milliseconds: random.int(200, 2_000) };
}
