/**
 * `deno task simulate [--latency 10-50] [--seed 1]`: how long a search waits for the ledger before its call, on a
 * database over a network. The ledger is the real one, the database and the clock are simulated
 * (`simulated_ledger.ts`), so the figures are the same on every machine.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import { type Outcome, simulate } from "./simulated_ledger.ts";

/** The compared cases. */
const SCENES = {
  "one caller": { isolates: 1, accounts: 1, callers: 1, searches: 200 },
  "100 accounts with a caller each": { isolates: 1, accounts: 100, callers: 1, searches: 20 },
  "one account with 16 callers": { isolates: 1, accounts: 1, callers: 16, searches: 100 },
  "the same over 4 isolates": { isolates: 4, accounts: 1, callers: 16, searches: 100 },
} as const;

const { values } = parseArgs({
  options: {
    latency: { type: "string", default: "10-50" },
    seed: { type: "string", default: "1" },
  },
});
const latency = rangeOf(values.latency);
const outcomes: Record<string, Outcome> = {};
for (const [name, scene] of Object.entries(SCENES)) {
  outcomes[name] = await simulate({ ...scene, latency, seed: Number(values.seed) });
}
console.log(`A commit takes ${latency[0]} to ${latency[1]} ms, a read half as long.`);
const columns = Object.entries(outcomes).map(([scene, outcome]) => [scene, {
  "searches": outcome.searches,
  "median wait, ms": outcome.medianMilliseconds,
  "p99 of that, ms": outcome.p99Milliseconds,
  "commits of the account meanwhile, on average": outcome.commits.toFixed(2),
  "the same, at most": outcome.mostCommits,
  "reads, on average": outcome.reads.toFixed(2),
  "commits lost to another isolate": outcome.lost,
}]);
console.table(Object.fromEntries(columns));
const errors = Object.values(outcomes).flatMap(({ errors }) => errors);
for (const error of errors) console.error(error);
Deno.exit(errors.length === 0 ? 0 : 1);

/** Two numbers of milliseconds, `10-50`. */
function rangeOf(text: string): [number, number] {
  const [, from, to] = /^(\d{1,4})-(\d{1,4})$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined && Number(from) <= Number(to)) {
    return [Number(from), Number(to)];
  }
  console.error(`--latency ${text}: expected milliseconds such as 10-50`);
  Deno.exit(2);
}
