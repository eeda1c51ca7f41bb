/** The RSS feed, read back by a strict XML parser and by a feed reader's. */

import assert from "node:assert/strict";
import fc from "fast-check";
import RssParser from "rss-parser";
import sax from "sax";
import { buildFeed, type FeedChannel } from "../../lib/events/feed.ts";
import type { StoredEvent } from "../../lib/events/model.ts";

const channel: FeedChannel = {
  baseUrl: "https://foyer.example",
  selfUrl: "https://foyer.example/api/v1/events/rss?limit=5",
  updatedAt: Date.parse("2026-11-20T10:00:00Z"),
  now: Date.parse("2026-11-21T12:00:00Z"),
};

function event(fields: Partial<StoredEvent> = {}): StoredEvent {
  return {
    id: "recA",
    slug: "hack-night",
    name: "Hack Night",
    description: "Come and build.",
    url: null,
    startDate: "2026-12-01",
    endDate: "2026-12-03",
    announcedAt: "2026-11-02T03:04:05.000Z",
    format: "in-person",
    inPerson: { start: null, end: null, location: "Berlin" },
    projectTypes: ["CAD"],
    slackChannel: null,
    slackUrl: null,
    requirements: null,
    pinned: false,
    logoUrl: "https://signed.example/logo?sig=1",
    background: { type: "image", color: "#fff", imageUrl: "https://signed.example/bg?sig=1" },
    theme: null,
    ...fields,
  };
}

/** The texts of the elements with a name, by a parser that takes nothing but well-formed XML. */
function textsOf(xml: string, name: string): string[] {
  const texts: string[] = [];
  let text = "";
  const parser = sax.parser(true);
  parser.onerror = (error: Error) => {
    throw error;
  };
  parser.onopentag = () => text = "";
  parser.ontext = (part: string) => text += part;
  parser.oncdata = (part: string) => text += part;
  parser.onclosetag = (closed: string) => {
    if (closed === name) texts.push(text);
    text = "";
  };
  parser.write(xml).close();
  return texts;
}

Deno.test("the feed of an event says what it is, when and where, and when it was announced", async () => {
  const feed = await new RssParser().parseString(buildFeed([event()], channel));
  assert.equal(feed.title, "Foyer: new events");
  assert.equal(feed.link, "https://foyer.example/");
  assert.equal(feed["feedUrl"], channel.selfUrl);
  assert.equal(feed["lastBuildDate"], "Fri, 20 Nov 2026 10:00:00 GMT");
  const [item] = feed.items;
  assert.equal(item?.title, "Hack Night");
  assert.equal(item?.link, "https://foyer.example/events/hack-night");
  assert.equal(item?.guid, "recA");
  assert.equal(item?.pubDate, "Mon, 02 Nov 2026 03:04:05 GMT");
  assert.deepEqual(item?.categories, ["CAD"]);
  assert.match(item?.content ?? "", /^1–3 December 2026, Berlin<br><br>Come and build\.$/);
});

Deno.test("the guid is no link, and no signed address is in the feed", () => {
  const xml = buildFeed([event()], channel);
  assert.match(xml, /<guid isPermaLink="false">recA<\/guid>/);
  assert.ok(!xml.includes("signed.example"));
});

Deno.test("an announcement that lies in the future, or before 1990, has no date", () => {
  for (const announcedAt of ["2026-11-21T12:00:01.000Z", "1989-12-31T00:00:00.000Z"]) {
    assert.deepEqual(textsOf(buildFeed([event({ announcedAt })], channel), "pubDate"), []);
  }
  const announcedAt = "1990-01-02T00:00:00.000Z";
  assert.equal(textsOf(buildFeed([event({ announcedAt })], channel), "pubDate").length, 1);
});

Deno.test("titles are character data without markup, CDATA or a bare ampersand", () => {
  const xml = buildFeed([event({ name: "R&D <b>night</b> ]]> &amp;" })], channel);
  assert.ok(!xml.includes("CDATA"));
  assert.match(
    xml,
    /<title>R&#x26;D &#x3C;b&#x3E;night&#x3C;\/b&#x3E; \]\]&#x3E; &#x26;amp;<\/title>/,
  );
});

Deno.test("the same events give the same bytes", () => {
  assert.equal(buildFeed([event()], channel), buildFeed([event()], channel));
});

Deno.test("whatever a record holds, the feed is well-formed and its texts are the record's", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "]]>",
      "<script>alert(1)</script>",
      "&amp;",
      "{{0}}",
      "\u202eabc",
      "\ud800",
      "\uffff",
    ),
  );
  const carried = (value: string) =>
    // deno-lint-ignore no-control-regex -- what XML cannot carry
    value.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");
  const normalized = (value: string) => value.replaceAll(/\r\n?/g, "\n");
  fc.assert(
    fc.property(text, text, text, (name, description, location) => {
      const hostile = event({
        name,
        description,
        inPerson: { start: null, end: null, location },
      });
      const xml = buildFeed([hostile, event({ id: "recB" })], channel);
      assert.equal(normalized(textsOf(xml, "title")[1] ?? ""), normalized(carried(name)));
      assert.equal(textsOf(xml, "guid").length, 2);
      assert.equal(textsOf(xml, "description").length, 3);
    }),
    { numRuns: 300 },
  );
});
