/** Dates in words, as one says them on a day. */

import assert from "node:assert/strict";
import { datesInWords, dayOfWhen, stateInWords, whenInWords } from "../../lib/site/words.ts";

/** Saturday. */
const TODAY = "2026-11-21";

/** Each case: the first day, the last one, and what is said of them today. */
function assertSays(say: typeof whenInWords, cases: [string, string | null, string][]): void {
  for (const [startDate, endDate, words] of cases) {
    assert.equal(say({ startDate, endDate }, TODAY), words, `${startDate} ${endDate}`);
  }
}

Deno.test("when an event is, is said as one says it on that day", () => {
  assertSays(whenInWords, [
    ["2026-11-21", "2026-11-21", "today"],
    ["2026-11-21", "2026-11-22", "today until tomorrow"],
    ["2026-11-21", null, "from today"],
    ["2026-11-19", "2026-11-21", "until today"],
    ["2026-11-19", "2026-11-22", "until tomorrow"],
    ["2026-11-19", "2026-11-27", "until Friday"],
    ["2026-11-19", "2026-11-28", "until 28 November"],
    ["2026-11-19", "2027-01-03", "until 3 January 2027"],
    ["2026-05-01", null, "since May"],
    ["2025-05-01", null, "since May 2025"],
    ["2026-11-22", null, "from tomorrow"],
    ["2026-11-27", null, "from Friday"],
    ["2026-11-28", null, "from 28 November"],
    ["2026-12-01", "2026-12-03", "1–3 December"],
    ["2026-12-30", "2027-01-02", "30 December 2026 – 2 January 2027"],
    ["2026-10-01", "2026-10-02", "1–2 October"],
    ["2025-10-01", "2025-10-02", "1–2 October 2025"],
  ]);
});

Deno.test("the day that is named is the last one once an event has begun, else the first", () => {
  assertSays(dayOfWhen, [
    ["2026-11-22", "2026-11-23", "2026-11-22"],
    ["2026-11-21", "2026-11-23", "2026-11-21"],
    ["2026-11-20", "2026-11-23", "2026-11-23"],
    ["2026-11-20", "2026-11-21", "2026-11-21"],
    ["2026-11-19", "2026-11-20", "2026-11-19"],
    ["2026-11-19", null, "2026-11-19"],
  ]);
});

Deno.test("how far an event is, is said in days, months or years", () => {
  assertSays(stateInWords, [
    ["2026-11-22", "2026-11-23", "tomorrow"],
    ["2026-11-23", "2026-11-23", "in 2 days"],
    ["2027-01-20", "2027-01-20", "in 60 days"],
    ["2027-01-21", "2027-01-21", "in 2 months"],
    ["2028-10-21", "2028-10-21", "in 23 months"],
    ["2028-11-21", "2028-11-21", "in 2 years"],
    ["2026-11-21", null, "now"],
    ["2026-11-01", "2026-11-21", "now"],
    ["2026-11-01", "2026-11-20", "was yesterday"],
    ["2026-11-01", "2026-11-08", "was 13 days ago"],
    ["2026-11-01", "2026-11-07", "was in November"],
    ["2025-11-01", "2025-11-07", "was in November 2025"],
  ]);
});

Deno.test("dates by themselves have their year", () => {
  const dates = (startDate: string, endDate: string | null) => datesInWords({ startDate, endDate });
  assert.equal(dates("2026-05-03", null), "from 3 May 2026");
  assert.equal(dates("2026-05-03", "2026-05-03"), "3 May 2026");
  assert.match(dates("2026-03-12", "2026-03-15"), /^12\s?–\s?15 March 2026$/);
});
