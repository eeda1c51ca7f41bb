/**
 * `deno task simulate:airtable`: the calls of Airtable's API that a month of edits takes, and the delay of edits. The
 * service's source and rules are the real ones; Airtable, the database and
 * the clock are simulated, so the figures hardly depend on the machine.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { type MonthOptions, simulateMonth } from "../tests/support/simulated_month.ts";
import { median, percentile } from "./statistics.ts";

const FREE = 1_000;
const TEAM = 100_000;

const MONTHS: readonly MonthOptions[] = [
  { records: 100, budget: FREE, burstsPerDay: 0 },
  { records: 100, budget: FREE, burstsPerDay: 8 },
  { records: 100, budget: FREE, burstsPerDay: 12 },
  { records: 100, budget: FREE, burstsPerDay: 24 },
  { records: 200, budget: FREE, burstsPerDay: 8 },
  { records: 100, budget: FREE, burstsPerDay: 8, isNotified: false },
  { records: 600, budget: TEAM, burstsPerDay: 8 },
  { records: 600, budget: TEAM, burstsPerDay: 50 },
];

const whole = (count: number) => Math.round(count).toLocaleString("en");

console.log(
  "| Calls allowed | Records | Bursts a day | Read | Calls | Median lag | 95th percentile |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const month of MONTHS) {
  const { calls, lags, refusedAfterDays } = await simulateMonth(month);
  const { records, budget, burstsPerDay, isNotified = true, refreshSeconds = 120 } = month;
  const cells = [
    whole(budget),
    whole(records),
    whole(burstsPerDay),
    isNotified ? "when notified" : `every ${refreshSeconds} s`,
    refusedAfterDays === null ? whole(calls) : `used up after ${refusedAfterDays.toFixed(1)} days`,
    lags.length === 0 ? "–" : `${whole(median(lags))} s`,
    lags.length === 0 ? "–" : `${whole(percentile(lags, 95))} s`,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
