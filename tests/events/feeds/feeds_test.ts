/** The calendar and the feeds through the public door, requested as subscribed programs do. */

import assert from "node:assert/strict";
import { identifierOf } from "../../../lib/events/feeds/internal/identifiers.ts";
import { NOON, row, startFoyer } from "../../support/foyer.ts";
import { byUid, readCalendar } from "../../support/read_calendar.ts";

const DAY = 86_400_000;
const ADDRESSES = {
  "/calendar.ics": "text/calendar; charset=utf-8",
  "/feed.atom": "application/atom+xml; charset=utf-8",
  "/feed.json": "application/feed+json; charset=utf-8",
  "/events/recA.ics": "text/calendar; charset=utf-8",
} as const;

const rows = [
  row({ id: "recA", "Name": "Coming", "Start Date": "2026-12-01", "End Date": "2026-12-02" }),
  row({ id: "recB", "Name": "On", "Start Date": "2026-11-01", "End Date": "2026-11-21" }),
  row({ id: "recC", "Name": "Over", "Start Date": "2026-10-01", "End Date": "2026-10-02" }),
];

const uidOf = (id: string) => identifierOf("appTest", id);

/** The ids of the records in a calendar. */
async function idsOf(response: Response): Promise<string[]> {
  const uids = byUid(readCalendar(await response.text()));
  return ["recA", "recB", "recC"].filter((id) => uids.has(uidOf(id)));
}

Deno.test("each document has its type, is sent once, and says how long it holds", async () => {
  await using foyer = await startFoyer({ records: rows });
  await foyer.services.events.refresh();
  foyer.clock.now += 60_000;
  for (const [address, type] of Object.entries(ADDRESSES)) {
    const response = await foyer.get(address);
    assert.equal(response.status, 200, address);
    assert.equal(response.headers.get("content-type"), type);
    assert.equal(response.headers.get("cache-control"), "max-age=235");
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    const etag = response.headers.get("etag") ?? "";
    const modified = response.headers.get("last-modified") ?? "";
    assert.match(etag, /^W\/"[\w-]{22}"$/);
    const body = await response.text();
    const conditions = [{ "if-none-match": etag }, { "if-modified-since": modified }];
    for (const headers of conditions) {
      const again = await foyer.get(address, { headers });
      assert.equal(again.status, 304, JSON.stringify(headers));
      assert.equal(again.headers.get("etag"), etag);
      assert.equal(await again.text(), "");
    }
    const head = await foyer.get(address, {
      method: "HEAD",
      headers: { "accept-encoding": "identity" },
    });
    assert.equal(Number(head.headers.get("content-length")), new TextEncoder().encode(body).length);
    assert.equal((await foyer.get(address, { method: "POST" })).status, 405);
  }
});

Deno.test("a document names its question: the states, and the one address, however it was asked", async () => {
  await using foyer = await startFoyer({ records: rows });
  const cases = [
    ["", ""],
    ["?status=upcoming,ongoing,ended&limit=20&order=desc&sort=announcedAt", ""],
    ["?limit=5&status=ongoing&status=upcoming", "?status=upcoming,ongoing&limit=5"],
    ["?order=asc&sort=name", "?sort=name&order=asc"],
  ];
  for (const [asked, canonical] of cases) {
    const feed = await (await foyer.get(`/feed.json${asked}`)).json();
    assert.equal(feed.feed_url, `https://foyer.example/feed.json${canonical}`);
    const direct = await (await foyer.get(`/feed.json${canonical}`)).json();
    assert.deepEqual(direct, feed);
  }
  const titleOf = async (search: string) =>
    (await (await foyer.get(`/feed.json${search}`)).json()).title;
  assert.equal(await titleOf(""), "Foyer events");
  assert.equal(
    await titleOf("?status=ongoing,upcoming"),
    "Foyer: Events that are on now or coming up",
  );
  const first = await foyer.get("/calendar.ics?sort=startDate&order=asc&limit=1");
  assert.deepEqual(await idsOf(first), ["recC"]);
});

Deno.test("the feeds announce an event when its time has come; the calendar has it before", async () => {
  const records = [
    row({ "id": "recNow00000000001", "Name": "Now", "Announced At": "2026-11-20T09:00:00Z" }),
    row({ "id": "recLater000000001", "Name": "Later", "Announced At": "2026-11-21T12:04:00Z" }),
  ];
  await using foyer = await startFoyer({ records });
  const named = async () =>
    await Promise.all(
      ["/api/v1/events/rss?limit=1", "/feed.atom", "/feed.json", "/calendar.ics"].map(
        async (path) => {
          const text = await (await foyer.get(path)).text();
          return ["Now", "Later"].filter((name) => text.includes(name)).join();
        },
      ),
    );
  assert.deepEqual(await named(), ["Now", "Now", "Now", "Now,Later"]);
  foyer.clock.now += 5 * 60_000;
  await foyer.services.events.refresh();
  assert.deepEqual(await named(), ["Later", "Now,Later", "Now,Later", "Now,Later"]);
});

Deno.test("a filtered calendar holds until the midnight that changes it, and tells no date", async () => {
  await using foyer = await startFoyer({
    records: rows,
    now: Date.parse("2026-11-21T23:58:00Z"),
  });
  const before = await foyer.get("/calendar.ics?status=ongoing");
  assert.equal(before.headers.get("cache-control"), "max-age=120");
  assert.equal(before.headers.get("last-modified"), null);
  assert.deepEqual(await idsOf(before), ["recB"]);
  foyer.clock.now += 120_000;
  assert.deepEqual(await idsOf(await foyer.get("/calendar.ics?status=ongoing")), []);
});

Deno.test("an event's calendar is at its id and at its slug, beside its page, also once it is withdrawn", async () => {
  await using foyer = await startFoyer({ records: rows });
  const [byId, bySlug] = [
    await foyer.get("/events/recA.ics"),
    await foyer.get("/events/coming.ics"),
  ];
  const text = await byId.text();
  assert.equal(await bySlug.text(), text);
  const { head, events: [event] } = readCalendar(text);
  assert.equal(head["source"], "https://foyer.example/events/recA.ics");
  assert.equal(head["name"], "Coming");
  assert.equal(event?.["url"], "https://foyer.example/events/coming");
  assert.match((await foyer.get("/events/coming")).headers.get("content-type") ?? "", /html/);
  assert.equal((await foyer.get("/events/nobody.ics")).status, 404);

  foyer.store.setRecords(rows.slice(1));
  foyer.clock.now += 10 * 60_000;
  const gone = readCalendar(await (await foyer.get("/events/recA.ics")).text()).events;
  assert.deepEqual(gone.map(({ status, sequence }) => [status, sequence]), [["CANCELLED", "1"]]);
  assert.equal((await foyer.get("/events/coming")).status, 410);
  foyer.clock.now += 31 * DAY;
  assert.equal((await foyer.get("/events/recA.ics")).status, 404);
});

Deno.test("a filtered calendar has the withdrawn events that its filter chose", async () => {
  const gone = [
    row({ id: "recA", "Name": "A", "Format": "online" }),
    row({
      id: "recB",
      "Name": "B",
      "Format": "in-person",
      "In Person Location": "Porto, Portugal",
    }),
  ];
  const others = Array.from({ length: 10 }, () => row());
  await using foyer = await startFoyer({ records: [...gone, ...others] });
  await foyer.services.events.refresh();
  foyer.store.setRecords(others);
  foyer.clock.now += 10 * 60_000;
  const table: [search: string, withdrawn: string[]][] = [
    ["", ["recA", "recB"]],
    ["?format=online", ["recA"]],
    ["?format=both", []],
    ["?place=porto", ["recB"]],
    ["?q=b&to=2026-12-01", ["recB"]],
    ["?from=2027-01-01&pinned=true", []],
  ];
  for (const [search, withdrawn] of table) {
    const calendar = byUid(readCalendar(await (await foyer.get(`/calendar.ics${search}`)).text()));
    const found = ["recA", "recB"].filter((id) =>
      calendar.get(uidOf(id))?.["status"] === "CANCELLED"
    );
    assert.deepEqual(found, withdrawn, search);
  }
});

Deno.test("a slug that an event had leads to it, until another event has it", async () => {
  const records = (...names: string[]) =>
    names.map((name, at) => row({ id: `rec${at}`, "Name": name }));
  await using foyer = await startFoyer({ records: records("Solder night", "Other") });
  const seen = async (path: string) => {
    const response = await foyer.get(path, { headers: { accept: "text/html,text/calendar" } });
    const body = await response.text();
    return [response.status, response.headers.get("location"), body] as const;
  };
  await foyer.services.events.refresh();
  foyer.store.setRecords(records("Iron night", "Other"));
  foyer.clock.now += 10 * 60_000;
  assert.deepEqual((await seen("/events/solder-night")).slice(0, 2), [302, "/events/iron-night"]);
  assert.equal((await seen("/events/solder-night.md"))[1], "/events/iron-night.md");
  const [status, , calendar] = await seen("/events/solder-night.ics");
  assert.equal(status, 200);
  assert.equal(readCalendar(calendar).events[0]?.["summary"], "Iron night");
  // The API finds an event only by its id and its slug.
  assert.equal((await foyer.get("/api/v1/events/solder-night")).status, 404);

  foyer.store.setRecords(records("Iron night", "Solder night"));
  foyer.clock.now += 10 * 60_000;
  assert.match((await seen("/events/solder-night"))[2], /<h1[^>]*>Solder night</);
  assert.equal((await seen("/events/other"))[1], "/events/solder-night");

  // A former slug leads to the last event that had it, despite all later changes.
  foyer.store.setRecords(records("Iron night", "Copper night"));
  foyer.clock.now += 10 * 60_000;
  await seen("/events/solder-night");
  foyer.store.setRecords([
    row({ id: "rec0", "Name": "Iron night", "Start Date": "2027-01-01" }),
    ...records("Iron night", "Copper night").slice(1),
  ]);
  foyer.clock.now += 10 * 60_000;
  assert.equal((await seen("/events/solder-night"))[1], "/events/copper-night");
  const [, , last] = await seen("/events/solder-night.ics");
  assert.equal(readCalendar(last).events[0]?.["summary"], "Copper night");

  // The slug is removed with the event: no older link leads to it by another's name.
  foyer.store.setRecords(records("Iron night", "Copper night").slice(0, 1));
  foyer.clock.now += 10 * 60_000;
  assert.equal((await seen("/events/solder-night"))[0], 404);
});

Deno.test("a calendar that is polled for a month ends with exactly the current events, and no body was for nothing", async () => {
  await using foyer = await startFoyer({ records: rows });
  const table = new Map(rows.map((each) => [each.id, each]));
  const change = (id: string, fields: Record<string, unknown>) => {
    const { createdTime, fields: cells } = table.get(id) ?? row({ id });
    table.set(id, { id, createdTime, fields: { ...cells, ...fields } });
  };
  /** The changes by day of the month; all other polls find none. */
  const changes: Readonly<Record<number, () => void>> = {
    2: () => change("recD", { "Name": "New", "Start Date": "2027-01-10", "End Date": "" }),
    3: () => change("recA", { "Start Date": "2026-12-05", "End Date": "2026-12-06" }),
    5: () => table.delete("recB"),
    8: () => change("recA", { "Name": "Renamed" }),
    9: () => change("recC", { "Start Date": "soon" }),
    11: () => change("recC", { "Start Date": "2026-10-01" }),
    14: () => change("recB", { "Name": "Back", "Start Date": "2026-12-20", "End Date": "" }),
    20: () => table.delete("recD"),
    27: () => table.delete("recC"),
  };
  /** The client's state: the last body, and the highest sequence that it has seen for each UID. */
  let held = new Map<string, Record<string, unknown>>();
  const sequences = new Map<string, number>();
  let etag = "";
  let bodies = 0;
  for (let half = 0; half < 31 * 2; half++) {
    const changing = half % 2 === 0 ? changes[half / 2] : undefined;
    changing?.();
    foyer.store.setRecords([...table.values()]);
    const response = await foyer.get("/calendar.ics", { headers: { "if-none-match": etag } });
    const body = await response.text();
    if (response.status === 200) {
      assert.ok(changing !== undefined || half === 0, `a body on day ${half / 2}`);
      bodies++;
      etag = response.headers.get("etag") ?? "";
      held = byUid(readCalendar(body)) as typeof held;
    } else assert.equal(response.status, 304);
    for (const [uid, event] of held) {
      const sequence = Number(event["sequence"]);
      assert.ok(sequence >= (sequences.get(uid) ?? 0), `${uid} goes back on day ${half / 2}`);
      sequences.set(uid, sequence);
    }
    foyer.clock.now += DAY / 2;
  }
  assert.equal(bodies, 1 + Object.keys(changes).length);
  const standing = [...held].filter(([, { status }]) => status === "CONFIRMED");
  const { data } = await (await foyer.get("/api/v1/events")).json();
  assert.deepEqual(
    standing.map(([uid, event]) => [uid, event["summary"], event["dtstart"]]).toSorted(),
    data.map((
      event: Record<string, string>,
    ) => [uidOf(event["id"] ?? ""), event["name"], event["startDate"]]).toSorted(),
  );
  const cancelled = [...held].filter(([, { status }]) => status === "CANCELLED");
  assert.deepEqual(cancelled.map(([uid]) => uid), [uidOf("recD")]);
  assert.deepEqual(Object.fromEntries(sequences), {
    [uidOf("recA")]: 1,
    [uidOf("recB")]: 2,
    [uidOf("recC")]: 0,
    [uidOf("recD")]: 1,
  });
  assert.ok(foyer.clock.now - NOON >= 31 * DAY);
});
