/** Requests as browsers, readers, calendar programs, SDKs and people send them. */

import assert from "node:assert/strict";
import { type Foyer, row, startFoyer } from "../support/foyer.ts";

const records = [
  row({ id: "recAbC", "Name": "React Day Berlin" }),
  row({ id: "recabc", "Name": "Other" }),
];

async function statusAndPlace(foyer: Foyer, path: string, init?: RequestInit) {
  const { status, headers } = await foyer.get(path, init);
  return [status, headers.get("location")];
}

Deno.test("a slash at the end leads to the one address of a page, a feed or a file, and never to another host", async () => {
  await using foyer = await startFoyer({ records });
  const table = [
    ["/follow/", "/follow"],
    ["/events/react-day-berlin/", "/events/react-day-berlin"],
    ["/events/react-day-berlin.ics/", "/events/react-day-berlin.ics"],
    ["/calendar.ics//?status=upcoming&x=a%20b", "/calendar.ics?status=upcoming&x=a%20b"],
    ["/feed.atom/?q=ä", "/feed.atom?q=%C3%A4"],
    ["/favicon.svg/", "/favicon.svg"],
    ["/docs/errors.md/", "/docs/errors.md"],
    ["//evil.example/", "/evil.example"],
    ["/\\evil.example/", "/evil.example"],
    ["/.//evil.example//", "/evil.example"],
    ["/%2e%2e//evil.example/%2e/", "/evil.example"],
    ["/oembed/?url=x", "/oembed?url=x"],
    ["/DOCS/", "/docs"],
    ["/Follow?Status=Upcoming", "/follow?Status=Upcoming"],
  ];
  for (const [path = "", place] of table) {
    for (const method of ["GET", "HEAD", "POST"]) {
      assert.deepEqual(await statusAndPlace(foyer, path, { method }), [308, place], path);
    }
  }
});

Deno.test("below /api, /proxy, /mcp and /up every method is answered in place, with a slash at the end and doubled ones", async () => {
  await using foyer = await startFoyer({ records });
  const { key } = await foyer.createMember();
  const get = ["/api/v1/events", "/api/v1/events/recAbC", "/api/v1/events/rss", "/proxy/v1/models"];
  for (const path of [...get, "/api/v1/openapi.json", "/up", "/api/v1/docs"]) {
    const expected = await statusAndPlace(foyer, path);
    assert.equal(expected[0], 200, path);
    for (const slashed of [`${path}/`, `${path}//`, `/${path}/`]) {
      assert.deepEqual(await statusAndPlace(foyer, slashed), expected, slashed);
      assert.deepEqual(await statusAndPlace(foyer, slashed, { method: "HEAD" }), expected);
      const options = await foyer.get(slashed, { method: "OPTIONS" });
      assert.deepEqual([options.status, options.headers.get("allow")?.slice(0, 3)], [204, "GET"]);
    }
  }
  const search = await foyer.post("//proxy/v1//websearch/search/", key, { query: "x" });
  assert.equal(search.status, 200);
  for (
    const [path, type] of [["/proxy/", "object"], ["/up/x/", "object"], ["/mcp/sse/", "object"], [
      "/api//",
      "string",
    ]]
  ) {
    const response = await foyer.get(path ?? "");
    assert.deepEqual([response.status, typeof (await response.json()).error], [404, type], path);
  }
});

Deno.test("an event is found whatever the case of its slug, and an id in its own case alone, before a slug", async () => {
  await using foyer = await startFoyer({ records });
  const page = (path: string) => statusAndPlace(foyer, path);
  const place = "/events/react-day-berlin";
  assert.deepEqual(await page("/events/REACT-DAY-BERLIN"), [308, place]);
  assert.deepEqual(await page("/events/recAbC?utm_source=x"), [302, `${place}?utm_source=x`]);
  assert.deepEqual(await page("/Events/React-Day-Berlin/"), [308, "/events/React-Day-Berlin"]);
  assert.deepEqual(await page("/events/React-Day-Berlin.md"), [308, `${place}.md`]);
  assert.deepEqual(await page("/events/recAbC"), [302, place]);
  assert.deepEqual(await page("/events/recabc"), [302, "/events/other"]);
  assert.equal((await page("/events/RECABC"))[0], 404);
  for (const path of ["/api/v1/events/REACT-DAY-BERLIN", "/events/React-Day-Berlin.ics"]) {
    assert.deepEqual(await page(path), [200, null], path);
  }
  assert.equal((await page("/embed/REACT-day-berlin"))[0], 200);
});

Deno.test("the names that programs try lead to what they mean, with their query", async () => {
  await using foyer = await startFoyer({ records });
  const table = [
    ["/feed", "application/rss+xml"],
    ["/feed/", "application/rss+xml"],
    ["/rss?status=upcoming", "application/rss+xml"],
    ["/RSS.xml", "application/rss+xml"],
    ["/feed.xml", "application/rss+xml"],
    ["/atom.xml", "application/atom+xml"],
    ["/calendar", "text/calendar"],
    ["/openapi.json", "application/json"],
    ["/favicon.ico", "image/png"],
    ["/apple-touch-icon-120x120-precomposed.png", "image/png"],
  ];
  for (const [path = "", type = ""] of table) {
    const [status, place] = await statusAndPlace(foyer, path);
    assert.equal(status, type === "image/png" ? 302 : 301, path);
    const response = await foyer.get(String(place));
    assert.equal(response.status, 200, path);
    assert.ok(response.headers.get("content-type")?.startsWith(type), path);
    const search = path.split("?")[1];
    if (search !== undefined) assert.ok(String(place).endsWith(`?${search}`));
  }
});

Deno.test("a calendar, a feed and the sitemap answer every Accept, and ignore what others add to their address", async () => {
  await using foyer = await startFoyer({ records });
  const paths = ["/calendar.ics", "/events/other.ics", "/feed.atom", "/feed.json", "/sitemap.xml"];
  const accepts = ["text/plain", "text/x-vcalendar", "text/html", "image/*", "*/*;q=0", "nonsense"];
  for (const path of [...paths, "/api/v1/events/rss"]) {
    const etag = (await foyer.get(path)).headers.get("etag");
    for (const accept of accepts) {
      const response = await foyer.get(path, { headers: { accept } });
      assert.deepEqual([response.status, response.headers.get("etag")], [200, etag], path);
    }
    for (
      const search of ["?nocache=1", "?fbclid=x&v=2", "?utm_source=x&limt=5", "?1732", "?a&=b"]
    ) {
      const headers = { "if-none-match": etag ?? "", "user-agent": "Google-Calendar-Importer" };
      assert.equal((await foyer.get(path + search, { headers })).status, 304, path + search);
    }
  }
});

Deno.test("a program that sends JSON or a key, or asks for a program's address, gets an error as JSON", async () => {
  await using foyer = await startFoyer({ records });
  const json = { "content-type": "application/json" };
  const table: [string, RequestInit, number][] = [
    ["/register", { method: "POST", headers: json, body: "{}" }, 404],
    [
      "/search",
      { method: "POST", headers: { "content-type": "application/json; charset=utf-8" } },
      404,
    ],
    ["/", { method: "POST", headers: { "content-type": "application/vnd.api+json" } }, 405],
    ["/v1/models", { headers: { authorization: "Bearer x" } }, 404],
    ["/contents", { method: "POST", headers: { "x-api-key": "x" } }, 404],
    ["/.well-known/oauth-protected-resource", {}, 404],
    ["/oembed", {}, 400],
    ["/oembed?url=https://other.example/", { headers: { accept: "text/html" } }, 404],
    ["/events/none", { headers: { accept: "application/json" } }, 404],
  ];
  for (const [path, init, status] of table) {
    const response = await foyer.get(path, init);
    assert.equal(response.status, status, path);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/, path);
    assert.equal((await response.json()).status, status);
  }
  const page = await foyer.get("/register", {
    method: "POST",
    body: new URLSearchParams({ a: "b" }),
  });
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
});

Deno.test("the page of a withdrawn event says so for as long as its history is kept, and the API has 404", async () => {
  await using foyer = await startFoyer({ records });
  const [first = row(), ...others] = records;
  const headers = { accept: "text/html" };
  assert.equal((await foyer.get("/events/react-day-berlin", { headers })).status, 200);
  async function read(remaining: typeof records, later: number) {
    foyer.store.setRecords(remaining);
    foyer.clock.now += later;
    await foyer.services.events.refresh();
  }
  await read(others, 150_000);
  for (const name of ["react-day-berlin", "recAbC", "React-Day-Berlin"]) {
    const page = await foyer.get(`/events/${name}`, { headers });
    assert.equal(page.status, 410, name);
    assert.match(page.headers.get("cache-control") ?? "", /^max-age=\d{1,2}$/);
    assert.match(
      await page.text(),
      /<h1>React Day Berlin was withdrawn\.<\/h1>[^]*href="\/">See what is on/,
    );
    const twin = await foyer.get(`/events/${name}.md`);
    assert.equal(twin.status, 410, name);
    assert.match(
      await twin.text(),
      /^# React Day Berlin was withdrawn\.[^]*\(https:\/\/foyer\.example\/index\.md\)/,
    );
    assert.equal((await foyer.get(`/embed/${name}`)).status, 410);
    assert.equal((await foyer.get(`/api/v1/events/${name}`)).status, 404);
    assert.match(await (await foyer.get(`/events/${name}.ics`)).text(), /STATUS:CANCELLED/);
  }
  await read([first, ...others], 150_000);
  assert.equal((await foyer.get("/events/react-day-berlin", { headers })).status, 200);
  await read(others, 150_000);
  await read([...others, row({ id: "recNew", "Name": "New" })], 31 * 86_400_000);
  assert.equal((await foyer.get("/events/react-day-berlin", { headers })).status, 404);
});
