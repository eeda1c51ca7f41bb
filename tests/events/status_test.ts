/** The state of an event, and when days begin. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { changesAfter, dayAt, statusOn } from "../../lib/events/values.ts";

Deno.test("a day ends exactly when the next one begins, in every zone", () => {
  const instant = fc.integer({
    min: Date.parse("2000-01-01T00:00:00Z"),
    max: Date.parse("2099-12-31T00:00:00Z"),
  });
  const zone = fc.constantFrom(
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "America/Asuncion",
    "Asia/Beirut",
  );
  fc.assert(
    fc.property(instant, zone, (now, timeZone) => {
      const day = dayAt(now, timeZone);
      assert.ok(day.endsAt > now && day.endsAt - now <= 26 * 3_600_000);
      assert.equal(dayAt(day.endsAt - 1, timeZone).date, day.date);
      assert.equal(dayAt(day.endsAt, timeZone).date, day.next);
    }),
    { numRuns: 500 },
  );
});

Deno.test("an event changes after a day exactly if its state on the next day is another", () => {
  const day = fc.integer({ min: 0, max: 6 }).map((at) => `2026-03-0${at + 1}`);
  const end = fc.option(day, { nil: null });
  fc.assert(
    fc.property(day, end, fc.integer({ min: 1, max: 6 }), (startDate, endDate, today) => {
      fc.pre(endDate === null || endDate >= startDate);
      const [date, next] = [`2026-03-0${today}`, `2026-03-0${today + 1}`];
      const dates = { startDate, endDate };
      assert.equal(
        changesAfter(dates, { date, next, endsAt: 0 }),
        statusOn(dates, date) !== statusOn(dates, next),
      );
    }),
    { numRuns: 500 },
  );
});
