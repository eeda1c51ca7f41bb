/** The Atom feed, read back by a strict XML parser and by two that feed readers use. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseAtomFeed } from "feedsmith";
import RssParser from "rss-parser";
import { atomEntry, buildAtom } from "../../../lib/events/feeds/internal/atom.ts";
import { identifierOf } from "../../../lib/events/feeds/internal/identifiers.ts";
import type { RevisedEvent } from "../../../lib/events/catalog.ts";
import { carriedByXml, elementsOf, shownOf } from "../../support/read_xml.ts";
import { feedHead, hostileLines, hostileText, revisedEvent } from "../revised_event.ts";

const head = feedHead("/feed.atom?status=upcoming&limit=5");

const feedOf = (...events: readonly RevisedEvent[]) =>
  buildAtom(
    events.map((event) =>
      atomEntry(event, head, { href: "/events/x/card?v=1", type: "image/png" })
    ),
    head,
  );

const textsOf = (xml: string, name: string) =>
  elementsOf(xml).filter(({ path }) => path === `/feed/${name}`).map(({ text }) => text);

Deno.test("a reader finds each event in the feed, with its days and its last change", () => {
  assert.deepEqual(parseAtomFeed(feedOf(revisedEvent())), {
    id: `urn:uuid:${identifierOf("appTest", "feed", "/feed.atom?status=upcoming&limit=5")}`,
    xml: { lang: "en" },
    title: { value: "Foyer events" },
    updated: "2026-11-21T10:00:00.000Z",
    authors: [{ name: "Foyer" }],
    links: [
      { rel: "self", type: "application/atom+xml", href: head.selfUrl },
      { rel: "alternate", type: "text/html", href: "https://foyer.example/" },
    ],
    generator: { text: "Foyer" },
    entries: [{
      id: `urn:uuid:${identifierOf("appTest", "recA")}`,
      title: { value: "Hack Night" },
      updated: "2026-11-20T10:00:00.250Z",
      published: "2026-11-02T03:04:05.000Z",
      links: [{
        rel: "alternate",
        type: "text/html",
        href: "https://foyer.example/events/hack-night",
      }, {
        rel: "enclosure",
        type: "image/png",
        href: "https://foyer.example/events/x/card?v=1",
      }],
      categories: [{ term: "CAD" }, { term: "Other" }],
      summary: { value: "1–3 December 2026, Berlin" },
      content: { value: "1–3 December 2026, Berlin<br><br>Come and build.", type: "html" },
    }],
  });
});

Deno.test("the feed is well-formed for any record, and its texts are the record's", async () => {
  const readers = new RssParser();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(hostileText, hostileText, hostileLines, hostileText, hostileText),
      async ([id = "", name = "", description = "", location = "", type = ""]) => {
        const hostile: Partial<RevisedEvent> = {
          id,
          name,
          slug: name,
          description,
          inPerson: { start: null, end: null, location },
          // No record can have this character, but the feed does not rely on that.
          projectTypes: [type as "CAD"],
        };
        const last = revisedEvent({ id: "last", name: "Last" });
        const xml = feedOf(revisedEvent(hostile), last);
        const place = location === "" ? "" : `, ${carriedByXml(location)}`;
        assert.deepEqual(textsOf(xml, "entry/title"), [carriedByXml(name), "Last"]);
        assert.equal(textsOf(xml, "entry/summary")[0], `1–3 December 2026${place}`);
        assert.equal(
          shownOf(textsOf(xml, "entry/content")[0] ?? ""),
          `1–3 December 2026${place}\n\n${carriedByXml(description)}`,
        );
        const [category] = elementsOf(xml).filter(({ path }) => path === "/feed/entry/category");
        assert.equal(category?.attributes["term"], carriedByXml(type));
        assert.ok(textsOf(xml, "entry/id").every((id) => /^urn:uuid:[\da-f-]{36}$/.test(id)));
        assert.equal((await readers.parseString(xml)).items.length, 2);
        assert.equal(parseAtomFeed(xml).entries?.at(-1)?.title?.value, "Last");
      },
    ),
    { numRuns: 100 },
  );
});
