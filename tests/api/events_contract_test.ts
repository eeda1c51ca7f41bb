/** The promises of the events API, one by one, through a listening server. */

import assert from "node:assert/strict";
import { z } from "zod";
import {
  type Event,
  eventItemSchema,
  eventListSchema,
  eventSchema,
} from "../../lib/events/model.ts";
import { BASE_URL, type Foyer, NOON, row, startFoyer } from "../support/foyer.ts";

const errorSchema = z.strictObject({
  error: z.string(),
  code: z.enum([
    "bad_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "unsupported_media_type",
    "payload_too_large",
    "server_misconfigured",
    "internal_error",
    "upstream_error",
  ]),
  message: z.string(),
  hint: z.string().optional(),
  status: z.int(),
  documentation_url: z.url(),
});

const styled = {
  "Background Type": "color",
  "Background Color": "#123456",
  "Theme Text": "#ffffff",
  "Theme Accent": "#ff8800",
  "Theme Logo Size": 120,
  "Theme Button Color": "#ff8800",
  "Theme Button Text Color": "#000000",
  "Theme Button Border Radius": 8,
  "Theme Button Border Width": 0,
  "Theme Button Border Color": "#ff8800",
};

/** One event of each state on 2026-11-21, announced in the order ended, upcoming, ongoing. */
const programme = () => [
  row({ id: "recEnded", "Name": "Ended", "Start Date": "2026-01-01", "End Date": "2026-01-03" }),
  row({
    id: "recUpcoming",
    "Name": "Upcoming",
    "Format": "online",
    "Start Date": "2027-01-01",
    "End Date": "2027-01-02",
  }, "2026-10-02T00:00:00.000Z"),
  row(
    { id: "recOngoing", "Name": "Ongoing", "Start Date": "2026-11-01", "End Date": undefined },
    "2026-10-03T00:00:00.000Z",
  ),
];

async function list(foyer: Foyer, query = ""): Promise<Event[]> {
  const response = await foyer.get(`/api/v1/events${query}`);
  assert.equal(response.status, 200);
  return eventListSchema.parse(await response.json()).data;
}

async function refused(foyer: Foyer, path: string, status: number, init?: RequestInit) {
  const response = await foyer.get(path, init);
  assert.equal(response.status, status, path);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  const error = errorSchema.parse(await response.json());
  assert.equal(error.status, status);
  assert.equal(error.error, error.message);
  assert.equal(error.documentation_url, `${BASE_URL}/docs/errors#${error.code}`);
  return { error, response };
}

Deno.test("an event has every field of the API and no other", async () => {
  await using foyer = await startFoyer({
    records: [row({
      "Name": "Hack Night",
      "Description": "Come and build.",
      "Url": "https://hack.example",
      "Format": "both",
      "In Person Start": "2026-12-01",
      "In Person Location": "Berlin",
      "Project Types": ["Electronics", "CAD"],
      "Slack Channel": "#hack",
      "Slack Url": "https://slack.example/hack",
      "Requirements": "A laptop.",
      "Pinned": true,
      ...styled,
    })],
  });
  const { data: [event], meta } = await (await foyer.get("/api/v1/events")).json();
  assert.deepEqual(meta, { count: 1, generatedAt: "2026-11-21T12:00:00.000Z" });
  const { id, ...rest } = z.strictObject(eventSchema.shape).parse(event);
  assert.match(id, /^rec/);
  assert.deepEqual(rest, {
    slug: "hack-night",
    name: "Hack Night",
    description: "Come and build.",
    url: "https://hack.example",
    status: "upcoming",
    startDate: "2026-12-01",
    endDate: "2026-12-02",
    announcedAt: "2026-10-01T08:00:00.000Z",
    format: "both",
    inPerson: { start: "2026-12-01", end: null, location: "Berlin" },
    projectTypes: ["Electronics", "CAD"],
    slackChannel: "hack",
    slackUrl: "https://slack.example/hack",
    requirements: "A laptop.",
    pinned: true,
    logoUrl: null,
    background: { type: "color", color: "#123456", imageUrl: null },
    theme: {
      text: "#ffffff",
      accent: "#ff8800",
      logoSize: 120,
      button: {
        color: "#ff8800",
        textColor: "#000000",
        borderRadius: 8,
        borderWidth: 0,
        borderColor: "#ff8800",
      },
    },
  });
});

Deno.test("an empty cell is null, and so is missing swag", async () => {
  await using foyer = await startFoyer({ records: [row({ "End Date": null })] });
  const [event] = await list(foyer);
  const { description, url, endDate, format, inPerson, slackChannel, slackUrl } = event as Event;
  assert.deepEqual(
    [description, url, endDate, format, inPerson, slackChannel, slackUrl],
    [null, null, null, null, null, null, null],
  );
  assert.deepEqual([event?.background, event?.theme, event?.logoUrl], [null, null, null]);
  assert.deepEqual([event?.projectTypes, event?.pinned], [[], false]);
});

Deno.test("the state follows the dates, in the configured time zone", async () => {
  const days = [
    ["2026-11-22", "2026-11-23", "upcoming"],
    ["2026-11-21", "2026-11-21", "ongoing"],
    ["2026-11-01", null, "ongoing"],
    ["2026-11-19", "2026-11-20", "ended"],
  ] as const;
  await using foyer = await startFoyer({
    records: days.map(([start, end]) => row({ "Start Date": start, "End Date": end })),
  });
  for (const [start, , status] of days) {
    assert.equal((await list(foyer)).find((event) => event.startDate === start)?.status, status);
  }
  await using tokyo = await startFoyer({
    records: [row({ "Start Date": "2026-11-22" })],
    env: { EVENTS_TIME_ZONE: "Asia/Tokyo" },
    now: Date.parse("2026-11-21T16:00:00Z"),
  });
  assert.equal((await list(tokyo))[0]?.status, "ongoing");
});

Deno.test("a parameter that is not understood is 400 with a hint", async () => {
  await using foyer = await startFoyer({ records: programme() });
  const table = [
    ["?limit=0", /from 1 to 100/],
    ["?limit=101", /from 1 to 100/],
    ["?limit=ten", /from 1 to 100/],
    ["?limit=5&limit=6", /once/],
    ["?status=over", /upcoming, ongoing, ended/],
    ["?status=soon", /upcoming, ongoing, ended/],
    ["?limt=5", /did you mean limit/],
    ["?sort=date", /startDate, announcedAt, name/],
    ["?order=down", /asc, desc/],
    ["?sotr=name", /did you mean sort/],
    ["?constructor=1", /status, sort, order, limit/],
    [
      "?format=onlin",
      /^format is one of in-person, online, both, online-only; did you mean online\?$/,
    ],
    ["?from=2026-02-29", /^from is a date that exists, such as 2026-12-05\.$/],
    ["?to=tomorrow", /^to is a date that exists/],
    ["?from=2026-12-02&to=2026-12-01", /^Give the first day as from\.$/],
    ["?year=26", /^year is a year or a month, such as 2026 or 2026-06\.$/],
    ["?year=2026-13", /^year is a year or a month/],
    ["?pinned=yes", /^pinned is one of true, false\.$/],
    [`?q=${"a".repeat(101)}`, /^q is a text of at most 100 characters\.$/],
    ["?q=a&q=b", /^Give q once\.$/],
    ["?changedSince=2026-11-21", /^changedSince is a time such as 2026-11-21T12:00:00Z/],
    ["?changedSince=2026-11-21T12:00:00", /^changedSince is a time/],
    ["?changedSince=2026-02-30T12:00:00Z", /^changedSince is a time/],
    ["?topic=CAD", /^The parameters are status, sort, .*changedSince\.$/],
  ] as const;
  for (const [query, hint] of table) {
    const { error } = await refused(foyer, `/api/v1/events${query}`, 400);
    assert.equal(error.code, "bad_request");
    assert.match(error.hint ?? "", hint, query);
  }
  await refused(foyer, "/api/v1/events/rss?limit=0", 400);
  await refused(foyer, "/api/v1/events/recEnded?limit=1", 400);
});

Deno.test("one event answers by its id and by its slug, the id first", async () => {
  await using foyer = await startFoyer({
    records: [row({ id: "other-name", "Name": "First" }), row({ "Name": "Other Name" })],
  });
  const name = async (path: string) => {
    const response = await foyer.get(`/api/v1/events/${path}`);
    assert.equal(response.status, 200);
    return eventItemSchema.parse(await response.json()).data.name;
  };
  assert.equal(await name("other-name"), "First");
  assert.equal(await name("first"), "First");
  assert.equal(await name("other-name-2"), "Other Name");
});

Deno.test("an unknown id or slug is 404 not_found", async () => {
  await using foyer = await startFoyer({ records: programme() });
  for (const path of ["nothing", "a%2Fb", "%ff", "%00", "__proto__", "x".repeat(20_000)]) {
    const { error } = await refused(foyer, `/api/v1/events/${path}`, 404);
    assert.equal(error.code, "not_found");
  }
});

Deno.test("without credentials every endpoint is 500 and the hint names the variables", async () => {
  for (const missing of ["AIRTABLE_TOKEN", "AIRTABLE_BASE_ID"]) {
    await using foyer = await startFoyer({ records: [], env: { [missing]: undefined } });
    for (const path of ["", "/recEnded", "/rss"]) {
      const { error } = await refused(foyer, `/api/v1/events${path}`, 500);
      assert.equal(error.code, "server_misconfigured");
      assert.match(error.hint ?? "", /AIRTABLE_TOKEN.*AIRTABLE_BASE_ID/);
    }
    await refuseWrongQueries(foyer);
  }
});

Deno.test("a wrong query is refused before the store is asked", async () => {
  await using foyer = await startFoyer({ records: programme() });
  await refuseWrongQueries(foyer);
  assert.equal(foyer.store.requests.length, 0);
});

Deno.test("when the store fails every endpoint is 502 with Retry-After", async () => {
  await using foyer = await startFoyer({ records: programme() });
  foyer.store.faults.push({ kind: "status", status: 503, sticky: true });
  for (const path of ["", "/recEnded", "/rss"]) {
    const { error, response } = await refused(foyer, `/api/v1/events${path}`, 502);
    assert.equal(error.code, "upstream_error");
    assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  }
  await refuseWrongQueries(foyer);
  assert.equal(foyer.store.requests.length, 1, "the store is left alone for a while");
  assert.ok(!foyer.logged.join().includes("patTest.secret"));
  foyer.store.faults.clear();
  foyer.clock.now += 60_000;
  assert.equal((await list(foyer)).length, 3);
});

/** A request that can never succeed is 400, whatever the state of the store. */
async function refuseWrongQueries(foyer: Foyer): Promise<void> {
  for (const path of ["?limit=0", "/recEnded?x=1", "/rss?limit=x"]) {
    const { error } = await refused(foyer, `/api/v1/events${path}`, 400);
    assert.equal(error.code, "bad_request");
  }
  for (
    const path of [
      "/feed.atom?limit=x",
      "/feed.json?status=x",
      "/calendar.ics?x=1&limit=0",
    ]
  ) {
    assert.equal((await foyer.get(path)).status, 400, path);
  }
}

Deno.test("an answer may be cached until its data are five minutes old, by the clock that is furthest ahead", async () => {
  await using foyer = await startFoyer({ records: programme() });
  const maxAge = async () => (await foyer.get("/api/v1/events")).headers.get("cache-control");
  assert.equal(await maxAge(), "max-age=295");
  foyer.clock.now += 100_000;
  assert.equal(await maxAge(), "max-age=195");
  foyer.store.faults.push({ kind: "status", status: 500, sticky: true });
  foyer.clock.now += 194_500;
  assert.equal(await maxAge(), "max-age=0");
  foyer.clock.now += 500;
  assert.equal((await foyer.get("/api/v1/events")).status, 502);
});

Deno.test("an answer is not cached past the midnight at which a state in it changes", async () => {
  const now = Date.parse("2026-11-21T23:59:00Z");
  await using foyer = await startFoyer({
    records: [
      row({ id: "recEnds", "Start Date": "2026-11-20", "End Date": "2026-11-21" }),
      row({ id: "recStays", "Start Date": "2026-11-20", "End Date": "2026-11-25" }),
    ],
    now,
  });
  const maxAge = async (path: string) =>
    (await foyer.get(`/api/v1/events${path}`)).headers.get("cache-control");
  assert.equal(await maxAge(""), "max-age=60");
  assert.equal(await maxAge("/recEnds"), "max-age=60");
  assert.equal(await maxAge("/recStays"), "max-age=295");
  assert.equal(await maxAge("?status=ended"), "max-age=60");
  foyer.clock.now += 60_000;
  assert.equal((await (await foyer.get("/api/v1/events/recEnds")).json()).data.status, "ended");
  assert.equal((await list(foyer, "?status=ended")).length, 1);
});

Deno.test("a 404 for an event is cached no longer than the events", async () => {
  await using foyer = await startFoyer({ records: [row({ id: "recKnown" })] });
  await list(foyer, "");
  // The background read finds no change.
  foyer.store.faults.push({ kind: "status", status: 500, sticky: true });
  for (const [age, maxAge] of [[0, 60], [270, 25], [294, 1]] as const) {
    foyer.clock.now = NOON + age * 1000;
    for (const path of ["/api/v1/events/none", "/events/none", "/events/none.ics"]) {
      const response = await foyer.get(path);
      assert.equal(response.status, 404);
      assert.equal(response.headers.get("cache-control"), `max-age=${maxAge}`, `${path}, ${age} s`);
    }
  }
});

Deno.test("nothing needs credentials, and scripts of any origin may read answers and errors", async () => {
  await using foyer = await startFoyer({ records: programme() });
  for (const path of ["", "/recEnded", "/rss", "?limit=0", "/nothing"]) {
    const response = await foyer.get(`/api/v1/events${path}`, {
      headers: { origin: "https://else.example" },
    });
    assert.equal(response.headers.get("access-control-allow-origin"), "*", path);
    assert.match(response.headers.get("x-request-id") ?? "", /^[\w-]{20,}$/, path);
  }
});

Deno.test("the feed is RSS of the twenty events announced last, newest first", async () => {
  const records = Array.from({ length: 30 }, (_, at) =>
    row(
      { "Name": `Event ${at}`, "Start Date": "2026-01-01" },
      `2026-10-${String(at + 1).padStart(2, "0")}T00:00:00.000Z`,
    ));
  await using foyer = await startFoyer({ records });
  const titles = async (query: string) => {
    const response = await foyer.get(`/api/v1/events/rss${query}`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/rss\+xml/);
    const text = await response.text();
    return [...text.matchAll(/<item>\s*<title>(.*?)<\/title>/gs)].map(([, title]) => title);
  };
  assert.deepEqual(await titles("?limit=2"), ["Event 29", "Event 28"]);
  assert.equal((await titles("")).length, 20);
  assert.equal((await titles("?limit=100")).length, 30);
});
