/** The RSS feed, read back by a strict XML parser and by two that feed readers use. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseRssFeed } from "feedsmith";
import RssParser from "rss-parser";
import { buildRss, rssItem } from "../../../lib/events/feeds/internal/rss.ts";
import type { RevisedEvent } from "../../../lib/events/catalog.ts";
import { carriedByXml, elementsOf, shownOf } from "../../support/read_xml.ts";
import { feedHead, hostileLines, hostileText, revisedEvent } from "../revised_event.ts";

const head = feedHead("/api/v1/events/rss?status=upcoming&limit=5");

const event = (fields: Partial<RevisedEvent> = {}) =>
  revisedEvent({ changedAt: Date.parse("2026-11-21T12:00:00Z"), projectTypes: ["CAD"], ...fields });

const feedOf = (...events: readonly RevisedEvent[]) =>
  buildRss(
    events.map((event) => rssItem(event, head, { href: "/events/x/card?v=1", type: "image/jpeg" })),
    head,
  );

/** The texts of the channel's elements with a name, or of the items' (`item/title`). */
function textsOf(xml: string, name: string): string[] {
  return elementsOf(xml).filter(({ path }) => path === `/rss/channel/${name}`)
    .map(({ text }) => text);
}

Deno.test("a reader finds each event in the feed, with its days and place, and nothing more", () => {
  const xml = feedOf(event());
  assert.deepEqual(textsOf(xml, "item/ev:startdate"), ["2026-12-01"]);
  assert.ok(xml.includes(`xmlns:ev="http://purl.org/rss/1.0/modules/event/"`));
  assert.deepEqual(parseRssFeed(xml), {
    title: "Foyer events",
    link: "https://foyer.example/",
    description: "The events that were announced last, newest first.",
    language: "en",
    lastBuildDate: "Sat, 21 Nov 2026 10:00:00 GMT",
    docs: "https://www.rssboard.org/rss-specification",
    generator: "Foyer",
    ttl: 5,
    atom: { links: [{ href: head.selfUrl, rel: "self", type: "application/rss+xml" }] },
    items: [{
      title: "Hack Night",
      link: "https://foyer.example/events/hack-night",
      description: "1–3 December 2026, Berlin<br><br>Come and build.",
      categories: [{ name: "CAD" }],
      guid: { value: "recA", isPermaLink: false },
      enclosures: [{
        url: "https://foyer.example/events/x/card?v=1",
        length: 0,
        type: "image/jpeg",
      }],
      pubDate: "Mon, 02 Nov 2026 03:04:05 GMT",
    }],
  });
});

Deno.test("an announcement in the future, before 1990 or at no time at all has no date", () => {
  const datesOf = (announcedAt: string) => textsOf(feedOf(event({ announcedAt })), "item/pubDate");
  for (
    const announcedAt of ["2026-11-21T12:00:00.001Z", "1989-12-31T23:59:59.999Z", "1970-01-01", "?"]
  ) {
    assert.deepEqual(datesOf(announcedAt), [], announcedAt);
  }
  assert.deepEqual(datesOf("2026-11-21T12:00:00.000Z"), ["Sat, 21 Nov 2026 12:00:00 GMT"]);
  assert.deepEqual(datesOf("1990-01-01T00:00:00.000Z"), ["Mon, 01 Jan 1990 00:00:00 GMT"]);
});

Deno.test("a description begins with the dates in words and the place, as far as they are known", () => {
  const cases: [Partial<RevisedEvent>, string][] = [
    [{ endDate: null }, "from 1 December 2026, Berlin\n\nCome and build."],
    [{ endDate: "2026-12-01" }, "1 December 2026, Berlin\n\nCome and build."],
    [{ format: "online", inPerson: null }, "1–3 December 2026, Online\n\nCome and build."],
    [{ format: "both" }, "1–3 December 2026, Berlin, and online\n\nCome and build."],
    [{ format: null, inPerson: null }, "1–3 December 2026\n\nCome and build."],
    [{ description: null }, "1–3 December 2026, Berlin"],
  ];
  for (const [fields, expected] of cases) {
    const [description = ""] = textsOf(feedOf(event(fields)), "item/description");
    assert.equal(shownOf(description), expected);
  }
});

Deno.test("an item whose name XML cannot carry has no title rather than an empty one", () => {
  const xml = feedOf(event({ name: "\uffff \u0000" }));
  assert.deepEqual(textsOf(xml, "item/title"), []);
  assert.equal(textsOf(xml, "item/description").length, 1);
});

Deno.test("the feed is well-formed for any record, and its texts are the record's", async () => {
  const hostile = fc.record({
    id: hostileText,
    slug: hostileText,
    name: hostileText,
    description: hostileLines,
    location: hostileText,
  });
  const whole = (value: string) => carriedByXml(value).trim() === "" ? [] : [carriedByXml(value)];
  const readers = new RssParser();

  await fc.assert(
    fc.asyncProperty(hostile, hostileText, async ({ location, ...fields }, projectType) => {
      const xml = feedOf(
        event({
          ...fields,
          inPerson: { start: null, end: null, location },
          // No record can have this character, but the feed does not rely on that.
          projectTypes: [projectType as "CAD"],
        }),
        event({ id: "last", name: "Last" }),
      );

      assert.deepEqual(textsOf(xml, "item/title"), [...whole(fields.name), "Last"]);
      assert.deepEqual(textsOf(xml, "item/category"), [whole(projectType)[0] ?? "", "CAD"]);
      const [description = ""] = textsOf(xml, "item/description");
      const place = location === "" ? "" : `, ${carriedByXml(location)}`;
      assert.equal(
        shownOf(description),
        `1–3 December 2026${place}\n\n${carriedByXml(fields.description)}`,
      );
      const [link = ""] = textsOf(xml, "item/link");
      assert.ok(URL.canParse(link) && link.startsWith("https://foyer.example/"), link);

      // Feed readers trim texts.
      const expected = [...whole(fields.name), "Last"].map((name) => name.trim());
      const first = await readers.parseString(xml);
      assert.deepEqual(first.items.flatMap(({ title }) => title?.trim() ?? []), expected);
      const second = parseRssFeed(xml);
      assert.deepEqual((second.items ?? []).flatMap(({ title }) => title?.trim() ?? []), expected);
    }),
    { numRuns: 150 },
  );
});
