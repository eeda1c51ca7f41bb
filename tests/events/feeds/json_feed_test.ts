/** The JSON Feed, read back by a feed reader, and checked against version 1.1. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseJsonFeed } from "feedsmith";
import type { RevisedEvent } from "../../../lib/events/catalog.ts";
import { buildJsonFeed, jsonItem } from "../../../lib/events/feeds/internal/json_feed.ts";
import { carriedByXml } from "../../support/read_xml.ts";
import { feedHead, hostileLines, hostileText, revisedEvent } from "../revised_event.ts";

const head = feedHead("/feed.json?limit=5");

const build = (events: readonly RevisedEvent[]) =>
  buildJsonFeed(
    events.map((event) =>
      jsonItem(event, head, { href: `/events/${event.id}/card?v=1`, type: "image/png" })
    ),
    head,
  );
const itemOf = (fields: Partial<RevisedEvent> = {}) =>
  JSON.parse(build([revisedEvent(fields)])).items[0];

Deno.test("the feed meets version 1.1, and its items have the days of events", () => {
  assert.deepEqual(JSON.parse(build([revisedEvent()])), {
    version: "https://jsonfeed.org/version/1.1",
    title: "Foyer events",
    home_page_url: "https://foyer.example/",
    feed_url: head.selfUrl,
    description: "Events with their dates and places. Each item's _foyer holds them for programs.",
    language: "en",
    authors: [{ name: "Foyer", url: "https://foyer.example/" }],
    items: [{
      id: "recA",
      url: "https://foyer.example/events/hack-night",
      external_url: "https://hack.example/night?a=1&b=2",
      title: "Hack Night",
      summary: "1–3 December 2026, Berlin",
      content_text: "1–3 December 2026, Berlin\n\nCome and build.",
      image: "https://foyer.example/events/recA/card?v=1",
      banner_image: "https://foyer.example/events/recA/background",
      date_published: "2026-11-02T03:04:05.000Z",
      date_modified: "2026-11-20T10:00:00.250Z",
      tags: ["CAD", "Other"],
      _foyer: {
        about: "https://foyer.example/api/v1/docs",
        startDate: "2026-12-01",
        endDate: "2026-12-03",
        format: "in-person",
        inPerson: { start: null, end: null, location: "Berlin" },
      },
    }],
  });
});

Deno.test("unknown facts and unsafe links are not in an item", () => {
  const item = itemOf({
    url: "javascript:alert(1)",
    projectTypes: [],
    announcedAt: "?",
    background: null,
  });
  assert.equal(
    Object.keys(item).join(),
    "id,url,title,summary,content_text,image,date_modified,_foyer",
  );
  assert.equal(itemOf({ description: null }).content_text, "1–3 December 2026, Berlin");
  assert.equal(itemOf({ inPerson: null, format: "online" })._foyer.inPerson, null);
  assert.equal(itemOf({ endDate: null })._foyer.endDate, null);
});

Deno.test("a reader finds the texts of any record, without forbidden characters", () => {
  fc.assert(
    fc.property(
      fc.tuple(hostileText, hostileText, hostileLines, hostileText, hostileText),
      ([id = "", name = "", description = "", location = "", url = ""]) => {
        const inPerson = { start: null, end: null, location };
        const event = revisedEvent({ id, name, slug: name, description, inPerson, url });
        const text = build([event, revisedEvent({ id: "last" })]);
        // deno-lint-ignore no-control-regex
        assert.doesNotMatch(text, /[\u0000-\u001f]/);
        assert.ok(text.isWellFormed());
        const [item] = JSON.parse(text).items;
        assert.equal(item.title, carriedByXml(name));
        assert.equal(item._foyer.inPerson.location, carriedByXml(location));
        assert.ok(item.content_text.endsWith(`\n\n${carriedByXml(description)}`));
        assert.ok(URL.canParse(item.url));
        assert.ok(!("external_url" in item) || URL.canParse(item.external_url));
        assert.equal(parseJsonFeed(text).items?.at(-1)?.id, "last");
      },
    ),
    { numRuns: 200 },
  );
});
