/** Embeds through the public door: pages for frames of other sites, and the script that turns links into frames. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { row, startFoyer } from "../support/foyer.ts";
import { eventOn } from "./site.ts";

const ORIGIN = "https://foyer.example";

const records = [
  eventOn("Solder night", "2026-12-05/2026-12-06", { "id": "recEmbed000000001" }),
  eventOn("Game jam", "2026-12-07", { "id": "recEmbed000000002", "Format": "online" }),
  eventOn("Old fair", "2025-01-07/2025-01-08", { "id": "recEmbed000000003" }),
];

Deno.test("pages below /embed may be framed by any site, no other page may, and none sets a cookie", async () => {
  await using foyer = await startFoyer({ records });
  const policyOf = (response: Response) => response.headers.get("content-security-policy") ?? "";
  const framed = ["/embed", "/embed?theme=dark", "/embed/solder-night", "/embed/recEmbed000000001"];
  for (const path of framed) {
    const response = await foyer.get(path, { headers: { cookie: "a=b" } });
    assert.equal(response.status, 200, path);
    assert.match(policyOf(response), /default-src 'none'.*frame-ancestors \*/);
    assert.equal(response.headers.get("x-frame-options"), null);
    assert.equal(response.headers.get("cross-origin-opener-policy"), null);
    assert.equal(response.headers.get("set-cookie"), null);
    assert.doesNotMatch(response.headers.get("vary") ?? "", /cookie/i);
    const html = await response.text();
    for (const [, kind = "", text = ""] of html.matchAll(/<(style|script)>([^]*?)<\/\1>/g)) {
      const hash = createHash("sha256").update(text).digest("base64");
      assert.ok(policyOf(response).includes(`'sha256-${hash}'`), `${kind} of ${path}`);
    }
  }
  for (const path of ["/", "/events/solder-night", "/docs/embed", "/embed/none", "/status"]) {
    const response = await foyer.get(path, { headers: { accept: "text/html" } });
    assert.match(policyOf(response), /frame-ancestors 'none'/, path);
    assert.equal(response.headers.get("x-frame-options"), "DENY", path);
  }
});

Deno.test("an embedded list has the events of its filters, links to the site, and at most its limit", async () => {
  await using foyer = await startFoyer({ records });
  const read = async (path: string) => await (await foyer.get(path)).text();
  const all = await read("/embed");
  assert.match(all, /<base target="_blank"\/?>[^]*href="\/events\/solder-night"/);
  assert.doesNotMatch(all, /Old fair/);
  const online = await read("/embed?format=online");
  assert.match(online, /Game jam/);
  assert.doesNotMatch(online, /Solder night/);
  assert.match(online, /href="\/\?format=online"/);
  assert.match(await read("/embed?status=ended"), /Old fair/);
  assert.equal([...(await read("/embed?limit=1")).matchAll(/<li /g)].length, 1);
  assert.match(await read("/embed?q=nothing+like+it"), /Nothing at the moment/);
  assert.match(await read("/embed?theme=dark"), /name="color-scheme" content="dark"/);
  // Addresses with the same filters in any order share a representation.
  const [one, other] = await Promise.all(
    ["/embed?limit=2&format=online", "/embed?format=online&limit=2&unknown=1"].map((path) =>
      foyer.get(path)
    ),
  );
  assert.equal(one?.headers.get("etag"), other?.headers.get("etag"));
});

Deno.test("oEmbed describes event pages and the list, within the requested width and height", async () => {
  await using foyer = await startFoyer({ records });
  const ask = (query: Record<string, string>) => foyer.get(`/oembed?${new URLSearchParams(query)}`);
  const page = await (await foyer.get("/events/solder-night")).text();
  const href = /type="application\/json\+oembed" href="([^"]+)"/.exec(page)?.[1] ?? "";
  assert.equal(href, `${ORIGIN}/oembed?url=${encodeURIComponent(`${ORIGIN}/events/solder-night`)}`);
  const found = await (await foyer.get(href.slice(ORIGIN.length))).json();
  assert.deepEqual([found.type, found.version, found.title], ["rich", "1.0", "Solder night"]);
  assert.match(found.html, /^<iframe src="https:\/\/foyer\.example\/embed\/solder-night" /);
  const size = { maxwidth: "300", maxheight: "200" };
  const asked = await ask({ url: `${ORIGIN}/?format=online`, ...size, format: "json" });
  const narrow = await asked.json();
  assert.deepEqual([narrow.width, narrow.height], [300, 200]);
  assert.match(
    narrow.html,
    /src="https:\/\/foyer\.example\/embed\?format=online" .*width="300" height="200"/,
  );
  // As WordPress asks (class-wp-oembed.php), and with the sizes that Drupal sends for "any".
  const sizes = [
    "maxwidth=500&maxheight=750&dnt=1&format=json",
    "maxwidth=0&format=JSON&callback=x",
  ];
  const event = `${ORIGIN}/events/solder-night`;
  const spellings = ["/", "?utm_source=x", "/?fbclid=x#about", "#top", ".md"]
    .map((end) => `${event}${end}`)
    .concat(`${ORIGIN}/Events/Solder-Night`, event.replace("https:", "http:"))
    .concat(`${ORIGIN}//events//solder-night`, ORIGIN, `${ORIGIN}/events/`, `${ORIGIN}/embed/?x=1`);
  for (const url of spellings) {
    for (const size of sizes) {
      const response = await foyer.get(`/oembed?url=${encodeURIComponent(url)}&${size}`);
      assert.equal(response.status, 200, url);
      const isCard = /solder-night/i.test(url);
      assert.equal((await response.json()).title, isCard ? "Solder night" : "Events", url);
    }
  }
  const urls = ["no address", "https://other.example/events/solder-night"]
    .concat(`${ORIGIN}/events/none`, `${ORIGIN}/docs`);
  const refused = [{}, ...urls.map((url) => ({ url })), { url: `${ORIGIN}/`, format: "xml" }];
  const statuses = await Promise.all(refused.map(ask));
  assert.deepEqual(statuses.map(({ status }) => status), [400, 400, 404, 404, 404, 501]);
  const [first = row()] = records;
  const renamed = { ...first, fields: { ...first.fields, "Name": "Solder evening" } };
  foyer.store.setRecords([renamed, ...records.slice(1)]);
  foyer.clock.now += 150_000;
  await foyer.services.events.refresh();
  const again = await (await ask({ url: `${ORIGIN}/events/solder-night` })).json();
  assert.match(again.html, /\/embed\/solder-evening"/);
});

Deno.test("the guide names the script for other sites, with the checksum of the served file", async () => {
  await using foyer = await startFoyer({ records });
  const script = await (await foyer.get("/embed-1.js")).bytes();
  const integrity = `sha384-${createHash("sha384").update(script).digest("base64")}`;
  // Sites pin the script's hash, so a change needs a file with another name.
  assert.equal(
    integrity,
    "sha384-ZvDvurpI65L4/Pc1/GuSEUIGEkVM2feRdtd5VA3rzs7v56xg1U7xo4qUIeGpiRTn",
  );
  assert.match(
    await (await foyer.get("/docs/embed.md")).text(),
    new RegExp(integrity.replaceAll("+", "\\+")),
  );
});
