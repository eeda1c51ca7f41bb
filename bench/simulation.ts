/**
 * `deno task simulate [--isolates 20] [--rate 1000] [--seconds 10] [--latency 10-50] [--checks 100]
 * [--seed 1]`: what one account's limit costs where many isolates share it. The ledger is the real one, the database
 * and the clock are simulated (`simulated_ledger.ts`), so the figures are the same on every machine.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import { LIFETIME_MILLISECONDS } from "../lib/proxy/ledger/allowance.ts";
import { type Outcome, simulate } from "./simulated_ledger.ts";

/** The compared cases: the number of accounts under load, and the part of it that their limits allow. */
const SCENES = {
  "limit never reached": { accounts: 1, limitShare: 100, warmUpSeconds: 0 },
  "limit reached halfway": { accounts: 1, limitShare: 0.5, warmUpSeconds: 0 },
  "1,000 accounts, first requests": { accounts: 1_000, limitShare: 100, warmUpSeconds: 0 },
  "1,000 accounts, callers return": { accounts: 1_000, limitShare: 100, warmUpSeconds: null },
  "the same, with a limit of all": {
    accounts: 1_000,
    limitShare: 100,
    warmUpSeconds: null,
    serviceShare: 100,
  },
  "limit of all reached halfway": {
    accounts: 1_000,
    limitShare: 100,
    warmUpSeconds: 0,
    serviceShare: 0.5,
  },
} as const;

const { values } = parseArgs({
  options: {
    isolates: { type: "string", default: "20" },
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "10" },
    latency: { type: "string", default: "10-50" },
    checks: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
  },
});
const [isolates, rate, seconds, maxChecks, seed] = [
  wholeNumber("isolates", 1_000),
  wholeNumber("rate", 10_000),
  wholeNumber("seconds", 600),
  wholeNumber("checks", 100),
  wholeNumber("seed", 2 ** 32 - 1),
];
const latency = range(values.latency);

console.log(
  `${rate} requests per second over ${isolates} isolates for ${seconds} s; a commit takes ` +
    `${latency[0]} to ${
      latency[1]
    } ms and checks at most ${maxChecks} keys, a read takes half as long; seed ${seed}`,
);
const outcomes: Record<string, Outcome> = {};
for (const [name, scene] of Object.entries(SCENES)) {
  // So long that each account asks each isolate once, if that is less than the time of an allowance.
  const warmUpSeconds = scene.warmUpSeconds ??
    Math.min(LIFETIME_MILLISECONDS / 2_000, Math.ceil(scene.accounts * isolates / rate));
  outcomes[name] = await simulate({
    ...scene,
    warmUpSeconds,
    isolates,
    rate,
    seconds,
    latency,
    maxChecks,
    seed,
  });
}
console.table(tableOf(outcomes));

const [limited, unreached] = [outcomes["limit reached halfway"], outcomes["limit never reached"]];
if (limited === undefined || unreached === undefined) throw new Error("a scene is missing");
console.log(
  `Of an account without a limit, all ${rate} requests per second would pass at once. One with a ` +
    `limit that is not reached gets ${share(unreached)} of that, one that reaches it ` +
    `${share(limited)} (answers in time, refusals included).`,
);
const faults = Object.values(outcomes).flatMap((outcome) => outcome.faults);
for (const fault of faults.slice(0, 20)) console.error(`FAULT ${fault}`);
Deno.exit(faults.length === 0 ? 0 : 1);

/** One row for each figure, one column for each scene. */
function tableOf(outcomes: Readonly<Record<string, Outcome>>) {
  const rows: Readonly<Record<string, (outcome: Outcome) => string | number>> = {
    "admitted per second": ({ admitted }) => Math.round(admitted / seconds),
    "refused by the limit per second": ({ refused }) => Math.round(refused / seconds),
    "failed (503)": ({ failed }) => failed,
    "answered after the end": ({ late }) => late,
    "share of what was asked, in time": share,
    "commits": ({ commits }) => commits,
    "conflicts, each tried again": ({ conflicts }) => conflicts,
    "refused for too many checks": ({ refusals }) => refusals,
    "reads": ({ reads }) => reads,
    "bookings per commit": ({ bookingsPerCommit }) => bookingsPerCommit.toFixed(1),
    "median wait before the provider is called, ms": ({ medianMilliseconds }) => medianMilliseconds,
    "p99 of that, ms": ({ p99Milliseconds }) => p99Milliseconds,
    "median delay of the first byte, ms": ({ medianAddedMilliseconds }) => medianAddedMilliseconds,
    "p99 of that delay, ms": ({ p99AddedMilliseconds }) => p99AddedMilliseconds,
    "provider called in vain": ({ vain }) => vain,
    "keys that had changed": ({ hot }) =>
      Object.entries(hot).map(([kind, times]) => `${kind} ${times}`).join(", "),
    "limit passed by, of a reservation": ({ passedBy }) =>
      passedBy < 0 ? "not reached" : passedBy.toFixed(3),
    "limit of all, used at most": ({ serviceUsed }) => serviceUsed.toFixed(5),
    "unused when first refused": ({ unusedAtFirstRefusal: unused }) => unused.toFixed(5),
    "books": ({ faults }) => faults.length === 0 ? "exact" : "WRONG",
  };
  return Object.fromEntries(
    Object.entries(rows).map(([name, figure]) => [
      name,
      Object.fromEntries(
        Object.entries(outcomes).map(([scene, outcome]) => [scene, figure(outcome)]),
      ),
    ]),
  );
}

function share({ admitted, refused, asked }: Outcome): string {
  return ((admitted + refused) / asked).toFixed(2);
}

function wholeNumber(
  name: "isolates" | "rate" | "seconds" | "checks" | "seed",
  most: number,
): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  fail(`--${name} ${values[name]}: expected a whole number from 1 to ${most}`);
}

/** Two numbers of milliseconds, `10-50`. */
function range(text: string): [number, number] {
  const [, from, to] = /^(\d{1,4})-(\d{1,4})$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined && Number(from) <= Number(to)) {
    return [Number(from), Number(to)];
  }
  fail(`--latency ${text}: expected milliseconds such as 10-50`);
}

function fail(sentence: string): never {
  console.error(sentence);
  Deno.exit(2);
}
