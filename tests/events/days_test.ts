/** Days that people ask for in words: on any day, everything that has the words has the same events. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { daysOf, PERIODS, runsThrough } from "../../lib/events/days.ts";
import { readCalendar } from "../support/read_calendar.ts";
import { find } from "../site/html.ts";
import { eventOn, openSite, type Seen } from "../site/site.ts";

Deno.test("a week ends on its Sunday, and of each period the days that are left count", () => {
  // Thursday, Saturday and Sunday; the end of a year, and of a February with 29 days.
  const table = [
    ["2026-11-26", "today", "2026-11-26", "2026-11-26"],
    ["2026-11-26", "this-weekend", "2026-11-28", "2026-11-29"],
    ["2026-11-28", "this-weekend", "2026-11-28", "2026-11-29"],
    ["2026-11-29", "this-weekend", "2026-11-29", "2026-11-29"],
    ["2026-11-26", "this-week", "2026-11-26", "2026-11-29"],
    ["2026-11-29", "this-week", "2026-11-29", "2026-11-29"],
    ["2026-11-30", "this-week", "2026-11-30", "2026-12-06"],
    ["2026-11-29", "next-week", "2026-11-30", "2026-12-06"],
    ["2026-11-30", "next-week", "2026-12-07", "2026-12-13"],
    ["2026-12-31", "this-week", "2026-12-31", "2027-01-03"],
    ["2026-12-31", "this-month", "2026-12-31", "2026-12-31"],
    ["2028-02-10", "this-month", "2028-02-10", "2028-02-29"],
    ["2026-12-31", "next-month", "2027-01-01", "2027-01-31"],
    ["2027-02-01", "this-month", "2027-02-01", "2027-02-28"],
  ] as const;
  for (const [today, period, from, to] of table) {
    assert.deepEqual(daysOf(period, today), { from, to }, `${period} on ${today}`);
  }
});

Deno.test("what lasts sixty days or has no end runs through days in which it neither begins nor ends", () => {
  const days = { from: "2026-11-21", to: "2026-11-22" };
  const table = [
    ["2026-09-26", "2026-11-24", true],
    ["2026-09-27", "2026-11-24", false],
    ["2026-03-01", "2026-11-22", false],
    ["2026-03-01", "2026-11-23", true],
    ["2026-11-20", null, true],
    ["2026-11-21", null, false],
    ["2026-11-22", "2027-12-01", false],
  ] as const;
  for (const [startDate, endDate, expected] of table) {
    assert.equal(runsThrough({ startDate, endDate }, days), expected, `${startDate} ${endDate}`);
  }
});

const ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "Africa/Cairo"];
const HOUR = 3_600_000;

/** A zone and some of its instants: any, around changes of its clock, midnights, Sundays and ends of years. */
const moments = fc.constantFrom(...ZONES).chain((zone) =>
  fc.record({
    zone: fc.constant(zone),
    at: fc.array(
      fc.tuple(
        fc.constantFrom("any", "change", "midnight", "sunday", "year"),
        fc.integer({ min: Date.UTC(2026), max: Date.UTC(2029) }),
        fc.integer({ min: -26 * HOUR, max: 26 * HOUR }),
      ).map(([near, at, by]) => {
        const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
        const begin = {
          any: time,
          change: time.getTimeZoneTransition("next") ?? time,
          midnight: time.startOfDay(),
          sunday: time.add({ days: 7 - time.dayOfWeek }).startOfDay(),
          year: time.with({ month: 12, day: 31 }).startOfDay(),
        }[near];
        const offset = near === "midnight" ? by / HOUR / 26 : near === "any" ? 0 : by;
        return (begin ?? time).epochMilliseconds + Math.round(offset);
      }),
      { minLength: 4, maxLength: 4 },
    ),
    events: fc.array(
      fc.tuple(
        fc.integer({ min: -120, max: 40 }),
        fc.constantFrom(0, 0, 0, 1, 2, 8, 58, 59, 60, 130, 400, null),
      ),
      { minLength: 3, maxLength: 24 },
    ),
  })
);

const HEADINGS: Readonly<Record<string, string>> = {
  "Today": "today",
  "This weekend": "this-weekend",
  "This week": "this-week",
  "Next week": "next-week",
  "This and next week": "this-week,next-week",
  "This month": "this-month",
  "Next month": "next-month",
  "This and next month": "this-month,next-month",
};

/** The names of the events below a heading. */
function namesOf({ all }: Seen, heading: string): readonly string[] {
  let below = "";
  const names: string[] = [];
  for (const { tag, text } of all) {
    if (tag === "h2") below = text;
    if (tag === "h3" && below === heading) names.push(text);
  }
  return names.toSorted();
}

Deno.test("heading, count, filter and subscription of the same words choose the same events on any day", async () => {
  await fc.assert(
    fc.asyncProperty(moments, async ({ zone, at, events }) => {
      for (const now of at) {
        const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone)
          .toPlainDate();
        const rows = events.map(([ahead, length], at) => {
          const first = today.add({ days: ahead });
          return eventOn(
            `E${at}`,
            `${first}/${length === null ? "" : first.add({ days: length })}`,
            { id: `rec${at}` },
          );
        });
        await using site = await openSite(rows, { EVENTS_TIME_ZONE: zone });
        site.clock.now = now;
        const monday = today.subtract({ days: today.dayOfWeek - 1 });
        const sunday = monday.add({ days: 6 });
        const firstOfMonth = today.with({ day: 1 });
        // What the words mean, as plainly as it can be written: the days that are not over.
        const spans = {
          "today": [today, today],
          "this-weekend": [sunday.subtract({ days: 1 }), sunday],
          "this-week": [monday, sunday],
          "next-week": [monday.add({ days: 7 }), sunday.add({ days: 7 })],
          "this-month": [firstOfMonth, firstOfMonth.add({ months: 1 }).subtract({ days: 1 })],
          "next-month": [
            firstOfMonth.add({ months: 1 }),
            firstOfMonth.add({ months: 2 }).subtract({ days: 1 }),
          ],
        };
        const expected = (when: string) =>
          events.flatMap(([ahead, length], at) => {
            const first = today.add({ days: ahead });
            const last = length === null ? null : first.add({ days: length });
            const isOn = when.split(",").some((period) => {
              const [from, to] = spans[period as keyof typeof spans].map(String);
              const begin = `${today}` > from! ? `${today}` : from!;
              return `${first}` <= to! && (last === null || `${last}` >= begin);
            });
            return isOn ? [`E${at}`] : [];
          }).toSorted();
        const home = await site.see("/");
        const headings = find(home.all, "h2").map(({ text }) => text);
        const named = headings.filter((text) => text in HEADINGS);
        for (const heading of new Set([...named, ...Object.keys(HEADINGS)])) {
          const when = HEADINGS[heading] ?? "";
          const what = `${heading} on ${today}`;
          const search = `?when=${when}`;
          const page = await site.see(`/${search}`);
          const [news, lasting] = [namesOf(page, heading), namesOf(page, "All year")];
          assert.deepEqual([...news, ...lasting].toSorted(), expected(when), what);
          if (named.includes(heading)) {
            assert.deepEqual([namesOf(home, heading), namesOf(home, "All year")], [news, lasting]);
          }
          const [count = "", year = "0"] = find(page.all, "p", "count")[0]?.text.match(/\d+/g) ??
            [];
          const isYearAlone = news.length === 0 && lasting.length > 0;
          assert.deepEqual(
            [Number(count), Number(year)],
            isYearAlone ? [lasting.length, 0] : [news.length, lasting.length],
            what,
          );
          const hrefs = [...find(page.all, "a"), ...find(page.all, "link")]
            .map(({ attributes }) => attributes["href"]);
          for (const path of ["/calendar.ics", "/feed.atom", "/follow"]) {
            assert.ok(hrefs.includes(`${path}${search}`), `${what}: ${path}`);
          }
          const calendar = readCalendar(
            await (await site.get(`/calendar.ics${search}`)).text(),
          );
          assert.deepEqual(
            calendar.events.map(({ summary }) => String(summary)).toSorted(),
            expected(when),
            what,
          );
          const { data } = await (await site.get(`/api/v1/events${search}`)).json();
          const names = data.map(({ name }: { name: string }) => name).toSorted();
          assert.deepEqual(names, expected(when), what);
        }
      }
    }),
    { numRuns: 6, seed: 20261121 },
  );
  assert.deepEqual(
    new Set(Object.values(HEADINGS).flatMap((when) => when.split(","))),
    new Set(PERIODS),
  );
});
