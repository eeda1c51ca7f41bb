/** The other events on an event's page. */

import assert from "node:assert/strict";
import { othersOf } from "../../lib/events/site/others.ts";
import type { Event } from "../../lib/events/model.ts";
import { statusOn } from "../../lib/events/values.ts";

/** Saturday. */
const TODAY = "2026-11-21";

function event(id: string, startDate: string, endDate: string | null, location?: string): Event {
  const inPerson = location === undefined ? null : { start: null, end: null, location };
  const status = statusOn({ startDate, endDate }, TODAY);
  // No other field decides which events are near.
  return { id, startDate, endDate, inPerson, status } as Event;
}

/** The titles with the ids of their events. */
function namesOf(page: Event, ...others: readonly Event[]): [string, string[]][] {
  const all = [page, ...others].toSorted((a, b) => a.startDate < b.startDate ? -1 : 1);
  return othersOf(all, page, TODAY).map(({ title, events }) => [title, events.map(({ id }) => id)]);
}

Deno.test("a week goes from Monday to Sunday, and has the events of any part of it", () => {
  const page = event("page", "2026-12-03", "2026-12-03");
  const found = namesOf(
    page,
    event("ends on Sunday", "2026-11-28", "2026-11-29"),
    event("ends on Monday", "2026-11-28", "2026-11-30"),
    event("Sunday", "2026-12-06", "2026-12-09"),
    event("Monday", "2026-12-07", "2026-12-07"),
    event("all year", "2026-01-01", "2026-12-31"),
    event("for ever", "2026-12-02", null),
  );
  assert.deepEqual(found, [["In the same week", ["ends on Monday", "Sunday"]]]);
});

Deno.test("the week of an event that is on is today's", () => {
  const page = event("page", "2026-09-01", "2026-12-31");
  const now = event("now", "2026-11-19", "2026-11-22");
  const then = event("then", "2026-09-01", "2026-09-02");
  assert.deepEqual(namesOf(page, now, then), [["Also on this week", ["now"]]]);
});

Deno.test("the events at the same place have not ended, and come nearest first, each once", () => {
  const page = event("page", "2026-12-03", "2026-12-03", "Porto");
  const found = namesOf(
    page,
    event("ended", "2026-11-01", "2026-11-02", "Porto"),
    event("same week", "2026-12-04", "2026-12-04", "Porto"),
    event("elsewhere", "2027-01-01", "2027-01-02", "Lisbon"),
    ...["2027-04", "2027-02", "2027-03", "2027-05"].map((month) =>
      event(month, `${month}-01`, `${month}-02`, "Porto")
    ),
  );
  assert.deepEqual(found, [
    ["In the same week", ["same week"]],
    ["At the same place", ["2027-02", "2027-03", "2027-04"]],
  ]);
});

Deno.test("without a near event, the nearest upcoming events are named, and none if there is no other", () => {
  const page = event("page", "2026-12-03", "2026-12-03");
  const months = ["2026-10", "2027-01", "2027-03", "2027-06", "2027-07"];
  const others = months.map((month) => event(month, `${month}-20`, `${month}-21`));
  assert.deepEqual(namesOf(page, ...others), [
    ["Around the same time", ["2027-01", "2027-03", "2027-06"]],
  ]);
  assert.deepEqual(namesOf(page), []);
  const past = event("past", "2026-09-01", "2026-09-01");
  assert.deepEqual(namesOf(past, ...others), [
    ["Around the same time", ["2026-10", "2027-01", "2027-03"]],
  ]);
});
