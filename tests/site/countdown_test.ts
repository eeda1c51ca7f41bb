/** How long until something, in words. */

import assert from "node:assert/strict";
import { timeLeft } from "../../lib/site/countdown.ts";
import { spanOf } from "../../lib/events/values.ts";

const left = (from: string, to: string, zone = "UTC") =>
  timeLeft(Date.parse(from), Date.parse(to), zone);

Deno.test("time is told in minutes, hours and days, and not at all when it is months", () => {
  const table = [
    ["2026-11-21T11:59:59.999Z", "1 minute"],
    ["2026-11-21T12:00:01Z", "1 minute"],
    ["2026-11-21T12:01:01Z", "2 minutes"],
    ["2026-11-21T13:59:00Z", "119 minutes"],
    ["2026-11-21T14:00:00Z", "2 hours"],
    ["2026-11-22T19:00:00Z", "31 hours"],
    ["2026-11-23T11:59:00Z", "48 hours"],
    ["2026-11-23T12:00:00Z", "2 days"],
    ["2026-11-30T00:00:00Z", "9 days"],
    ["2027-01-20T23:00:00Z", "60 days"],
    ["2027-01-21T00:00:00Z", null],
    ["+010000-01-01T00:00:00Z", null],
  ] as const;
  for (const [to, words] of table) assert.equal(left("2026-11-21T12:00:00Z", to), words, to);
});

Deno.test("days are those of the visitor's calendar", () => {
  const [from, to] = ["2026-11-21T12:00:00Z", "2026-11-25T16:00:00Z"];
  assert.equal(left(from, to, "UTC"), "4 days");
  assert.equal(left(from, to, "Asia/Tokyo"), "5 days");
});

Deno.test("an event begins and ends at its zone's midnights, summer and winter", () => {
  const dates = { startDate: "2026-10-24", endDate: "2026-10-25" };
  assert.deepEqual(spanOf(dates, "Europe/Berlin"), {
    begins: "2026-10-23T22:00:00Z",
    ends: "2026-10-25T23:00:00Z",
  });
  assert.equal(spanOf({ startDate: "2026-10-24", endDate: null }, "UTC").ends, undefined);
});
