/** Airtable's free plan, by the first days of a simulated month; `deno task simulate:airtable` simulates whole ones. */
// Not quick: days of a month, event by event.

import assert from "node:assert/strict";
import { simulateMonth } from "../support/simulated_month.ts";

Deno.test("100 records with 8 bursts of edits a day stay within 1,000 calls a month, with a lag below 30 seconds", async () => {
  const days = 4;
  const { calls, lags, refusedAfterDays } = await simulateMonth({
    records: 100,
    budget: 1_000,
    burstsPerDay: 8,
    days,
  });
  assert.equal(refusedAfterDays, null);
  assert.ok(calls <= 1_000 * days / 31 + 5, `${calls} calls`);
  const middle = lags[Math.floor(lags.length / 2)] ?? Infinity;
  assert.ok(lags.length > 50 && middle < 30, `${middle} s`);
});
