/** The catalog against a naive one, and the signed URLs that a snapshot holds. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createCatalog } from "../../lib/events/catalog.ts";
import { COLUMN_NAMES } from "../../lib/platform/columns.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { createRecordParser, type StoreRecord } from "../../lib/events/record.ts";
import { buildSnapshot } from "./build.ts";
import { dayAt, statusOn } from "../../lib/events/values.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const clock = { now: NOW };
const options = { timeZone: "UTC", baseUrl: "https://foyer.example", now: () => clock.now };
const parseRecord = createRecordParser(COLUMN_NAMES, "UTC");

const snapshotOf = (records: readonly StoreRecord[], previous = null, readAt = NOW) =>
  buildSnapshot(records.map(parseRecord), previous, readAt);

async function json(catalog: ReturnType<typeof createCatalog>, search: string, now = NOW) {
  clock.now = now;
  const { representation } = catalog.list(parseListQuery(search));
  const prepared = await representation.prepared("identity");
  return await prepared.clone().json();
}

Deno.test("any list equals the events filtered, sorted and cut one by one", async () => {
  const day = fc.integer({ min: 1, max: 28 }).map((day) =>
    `2026-11-${String(day).padStart(2, "0")}`
  );
  const record = fc.record({
    name: fc.constantFrom("Ä", "a", "B", "b", "中文", "Z"),
    start: day,
    end: fc.option(day),
    announced: day,
  });
  const query = fc.record({
    status: fc.subarray(["upcoming", "ongoing", "ended"], { minLength: 1 }),
    sort: fc.constantFrom("startDate", "announcedAt", "name"),
    order: fc.constantFrom("asc", "desc"),
    limit: fc.integer({ min: 1, max: 100 }),
  }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 30 }),
      fc.array(query, { maxLength: 8 }),
      async (rows, queries) => {
        const records = rows.map(({ name, start, end, announced }, at) => ({
          id: `rec${at}`,
          createdTime: `${announced}T00:00:00.000Z`,
          fields: {
            "Name": name,
            "Start Date": start,
            "End Date": end !== null && end < start ? start : end,
          },
        }));
        const catalog = createCatalog(await snapshotOf(records), options);
        const all = (await json(catalog, "")).data;
        assert.equal(all.length, records.length);
        for (const { status, sort = "startDate", order = "desc", limit } of queries) {
          const search = new URLSearchParams({ sort, order });
          if (status) search.set("status", status.join());
          if (limit) search.set("limit", String(limit));
          const direction = order === "asc" ? 1 : -1;
          const keys = (event: Record<string, string>) => [event[sort] ?? "", event["id"] ?? ""];
          const expected = all
            .filter((event: { status: string }) => !status || status.includes(event.status))
            .toSorted((a: Record<string, string>, b: Record<string, string>) =>
              direction * (keys(a) < keys(b) ? -1 : 1)
            )
            .slice(0, limit ?? all.length);
          const { data, meta } = await json(catalog, `?${search}`);
          assert.deepEqual(
            data.map((event: { id: string }) => event.id).slice(0, 200),
            expected.map((event: { id: string }) => event.id),
          );
          assert.equal(meta.count, expected.length);
        }
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("states change at midnight of the zone, without a new snapshot", async () => {
  const records = [{
    id: "recA",
    createdTime: "2026-01-01T00:00:00.000Z",
    fields: { "Name": "A", "Start Date": "2026-11-22", "End Date": "2026-11-22" },
  }];
  const catalog = createCatalog(await snapshotOf(records), {
    ...options,
    timeZone: "America/New_York",
  });
  const status = async (now: string) => (await json(catalog, "", Date.parse(now))).data[0].status;
  assert.equal(await status("2026-11-22T04:59:59Z"), "upcoming");
  assert.equal(await status("2026-11-22T05:00:00Z"), "ongoing");
  assert.equal(await status("2026-11-23T04:59:59Z"), "ongoing");
  assert.equal(await status("2026-11-23T05:00:00Z"), "ended");
});

Deno.test("days begin at the zone's midnight, also where the clock changes", () => {
  const table = [
    { instant: "2026-03-29T00:30:00Z", zone: "Europe/Berlin", date: "2026-03-29", hoursLeft: 21.5 },
    { instant: "2026-10-24T22:30:00Z", zone: "Europe/Berlin", date: "2026-10-25", hoursLeft: 24.5 },
    { instant: "2026-11-21T23:59:59Z", zone: "UTC", date: "2026-11-21", hoursLeft: 1 / 3600 },
  ] as const;
  for (const { instant, zone, date, hoursLeft } of table) {
    const day = dayAt(Date.parse(instant), zone);
    assert.equal(day.date, date);
    assert.ok(Math.abs((day.endsAt - Date.parse(instant)) / 3_600_000 - hoursLeft) < 1e-6, instant);
  }
  assert.equal(statusOn({ startDate: "2026-01-01", endDate: null }, "2999-01-01"), "ongoing");
});
