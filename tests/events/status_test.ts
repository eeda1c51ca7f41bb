/** The state of an event, and when days begin. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { changesAfter, dayAt, statusOn } from "../../lib/events/values.ts";

const event = (startDate: string, endDate: string | null) => ({ startDate, endDate });

Deno.test("an event is ongoing from its first day to its last, both included", () => {
  const table = [
    [event("2026-03-10", "2026-03-12"), "2026-03-09", "upcoming"],
    [event("2026-03-10", "2026-03-12"), "2026-03-10", "ongoing"],
    [event("2026-03-10", "2026-03-12"), "2026-03-11", "ongoing"],
    [event("2026-03-10", "2026-03-12"), "2026-03-12", "ongoing"],
    [event("2026-03-10", "2026-03-12"), "2026-03-13", "ended"],
    [event("2026-03-10", "2026-03-10"), "2026-03-10", "ongoing"],
    [event("2026-03-10", "2026-03-10"), "2026-03-11", "ended"],
    [event("2026-03-10", null), "2026-03-09", "upcoming"],
    [event("2026-03-10", null), "2026-03-10", "ongoing"],
    [event("2026-03-10", null), "2999-12-31", "ongoing"],
    [event("2026-12-31", "2027-01-01"), "2027-01-01", "ongoing"],
  ] as const;
  for (const [dates, day, status] of table) {
    assert.equal(statusOn(dates, day), status, `${dates.startDate}/${dates.endDate} on ${day}`);
  }
});

Deno.test("days begin at the zone's own midnight, also on the days on which clocks change", () => {
  const table = [
    ["2026-11-21T00:00:00Z", "UTC", "2026-11-21", "2026-11-22", "2026-11-22T00:00:00Z"],
    ["2026-11-20T23:59:59.999Z", "UTC", "2026-11-20", "2026-11-21", "2026-11-21T00:00:00Z"],
    ["2026-11-20T23:00:00Z", "Europe/Berlin", "2026-11-21", "2026-11-22", "2026-11-21T23:00:00Z"],
    ["2026-11-20T22:59:59Z", "Europe/Berlin", "2026-11-20", "2026-11-21", "2026-11-20T23:00:00Z"],
    // 23 hours, and 25.
    ["2026-03-28T23:00:00Z", "Europe/Berlin", "2026-03-29", "2026-03-30", "2026-03-29T22:00:00Z"],
    ["2026-10-24T22:00:00Z", "Europe/Berlin", "2026-10-25", "2026-10-26", "2026-10-25T23:00:00Z"],
    // A day whose midnight does not exist begins at one o'clock.
    [
      "2018-11-03T12:00:00Z",
      "America/Sao_Paulo",
      "2018-11-03",
      "2018-11-04",
      "2018-11-04T03:00:00Z",
    ],
    [
      "2026-11-21T09:30:00Z",
      "Pacific/Kiritimati",
      "2026-11-21",
      "2026-11-22",
      "2026-11-21T10:00:00Z",
    ],
    [
      "2026-11-21T10:30:00Z",
      "Pacific/Pago_Pago",
      "2026-11-20",
      "2026-11-21",
      "2026-11-21T11:00:00Z",
    ],
    ["2026-11-20T18:15:00Z", "Asia/Kathmandu", "2026-11-21", "2026-11-22", "2026-11-21T18:15:00Z"],
    ["2028-02-28T12:00:00Z", "UTC", "2028-02-28", "2028-02-29", "2028-02-29T00:00:00Z"],
    ["2026-12-31T12:00:00Z", "UTC", "2026-12-31", "2027-01-01", "2027-01-01T00:00:00Z"],
  ] as const;
  for (const [instant, timeZone, date, next, endsAt] of table) {
    assert.deepEqual(
      dayAt(Date.parse(instant), timeZone),
      { date, next, endsAt: Date.parse(endsAt) },
      `${instant} ${timeZone}`,
    );
  }
});

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
