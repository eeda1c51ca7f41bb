/** Days: their words, relative to a day. */

import {
  datesInWords,
  dayOfWhen,
  partInWords,
  stateInWords,
  whenInWords,
} from "../../lib/events/words.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { dayAt } from "../../lib/events/days.ts";

/** Saturday. */
const TODAY = "2026-11-21";

/** Each case: the first day, the last one, and their description today. */
function assertSays(say: typeof whenInWords, cases: [string, string | null, string][]): void {
  for (const [startDate, endDate, words] of cases) {
    assert.equal(say({ startDate, endDate }, TODAY), words, `${startDate} ${endDate}`);
  }
}

Deno.test("the days of an event are in the words of that day", () => {
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
    ["2026-12-30", "2027-01-02", "30 Dec 2026 – 2 Jan 2027"],
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

Deno.test("the distance of an event is in days, months or years", () => {
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
  assert.equal(dates("2026-03-12", "2026-03-15"), "12–15 March 2026");
  assert.equal(dates("2026-03-30", "2026-04-02"), "30 March – 2 April 2026");
});

Deno.test("the dates of a part have their years only where the event's do not tell them", () => {
  const event = { startDate: "2026-08-01", endDate: "2026-12-20" };
  const part = (startDate: string, endDate: string | null, of = event) =>
    partInWords({ startDate, endDate }, of);
  assert.equal(part("2026-08-09", "2026-08-15"), "9–15 August");
  assert.equal(part("2026-08-09", "2026-08-09"), "9 August");
  assert.equal(part("2026-08-09", null), "from 9 August");
  assert.equal(part("2027-01-02", "2027-01-03"), "2–3 January 2027");
  const long = { startDate: "2026-08-01", endDate: "2027-03-01" };
  assert.equal(part("2026-08-09", "2026-08-15", long), "9–15 August 2026");
  assert.equal(part("2027-08-09", null, long), "from 9 August 2027");
});

/** Zones with and without summer time, one that shifts by half an hour, and both edges of the map. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
];
const HOUR = 3_600_000;

/** A zone, and an instant: any one, or one near a change of its clock or near its midnight. */
const MOMENTS = fc.record({
  zone: fc.constantFrom(...ZONES),
  near: fc.constantFrom("any", "change", "midnight"),
  at: fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) }),
  by: fc.integer({ min: -26 * HOUR, max: 26 * HOUR }),
}).map(({ zone, near, at, by }) => {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  if (near === "change") at = (time.getTimeZoneTransition("next")?.epochMilliseconds ?? at) + by;
  if (near === "midnight") at = time.startOfDay().epochMilliseconds + Math.round(by / 26 / HOUR);
  return { zone, at };
});

Deno.test("the words of a day count the midnights of the zone's calendar, not hours", () => {
  fc.assert(
    fc.property(MOMENTS, fc.nat(60), fc.nat(400), ({ zone, at }, ahead, length) => {
      const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
        .toPlainDate();
      const first = today.add({ days: ahead });
      const event = { startDate: `${first}`, endDate: `${first.add({ days: length })}` };
      const words = stateInWords(event, dayAt(at, zone).date);
      const expected = ["now", "tomorrow"][ahead] ?? `in ${ahead} days`;
      assert.equal(words, expected);
      // The words stay until midnight, and change exactly then.
      const { endsAt } = dayAt(at, zone);
      assert.equal(stateInWords(event, dayAt(endsAt - 1, zone).date), words);
      if (ahead > 0) assert.notEqual(stateInWords(event, dayAt(endsAt, zone).date), words);
    }),
  );
});
