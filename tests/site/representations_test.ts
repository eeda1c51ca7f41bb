/** Every representation of an event, read by its own parser, says the facts of its record. */

import assert from "node:assert/strict";
import MarkdownIt from "markdown-it";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { readCalendar } from "../support/read_calendar.ts";
import { elementsOf } from "../support/read_xml.ts";
import { find, parseHtml } from "./html.ts";
import { BASE_URL, openSite, row } from "./site.ts";

/** By the kind of defect. */
const HOSTILE: Readonly<Record<string, string>> = {
  markup: `<script>alert(1)</script><img src=x onerror=alert(1)>"'><b>&amp;`,
  closing: "</style></title></script><!-- ]]> <![CDATA[ x",
  entities: "&#0; &#xD800; &lt;b&gt; &nbsp; &notanentity; AT&T",
  script: "javascript:alert(1)",
  markdown: "# h\n\n[x](javascript:alert(1)) ![i](http://evil.example/i) `a`\n* b\n1. c | d\n> e",
  calendar: "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:evil\\n;,\r\nATTENDEE:mailto:a@b.example",
  bidi: "\u202egnitset\u202c and \u2067more",
  controls: "null\u0000 bell\u0007 escape\u001b[31m \ufffe\uffff\u{1fffe}\ud800 end",
  lines: "a\u2028b\u2029c\u0085d\u000be\rf\tg",
  template: "{{7*7}} ${7*7} <%= 7*7 %> $& $1",
  long: "A".repeat(2_000),
  arabic: "ملتقى البرمجة",
};

/** One line, since representations differ in their line ends. */
const plain = (text: unknown) => String(text ?? "").replace(/\s+/g, " ").trim();

/** The text of each representation of the only event of a site. */
async function textsOf(record: StandInRecord) {
  await using site = await openSite([record]);
  const { data: [event] } = await (await site.get("/api/v1/events")).json();
  const read = async (path: string) => await (await site.get(path)).text();
  const path = `/events/${encodeURIComponent(event.slug)}`;
  const html = parseHtml(await read(path));
  const markdown = new MarkdownIt({ html: false }).render(await read(`${path}.md`));
  const entries = readCalendar(await read("/calendar.ics")).events;
  const xml = async (address: string) =>
    elementsOf(await read(address)).map(({ text, attributes }) =>
      [text, ...Object.values(attributes)].join(" ")
    ).join(" ")
      // The text that a browser shows for a feed's HTML.
      .replaceAll("<br>", "\n").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  const [item] = JSON.parse(await read("/feed.json")).items;
  const texts = {
    HTML: find(html, "main")[0]?.text,
    "JSON-LD": JSON.parse(
      html.find(({ attributes }) => attributes["type"] === "application/ld+json")?.text ?? "",
    ),
    markdown: find(parseHtml(`<main>${markdown.replaceAll("<br>", "\n")}</main>`), "main")[0]?.text,
    iCalendar: entries,
    RSS: await xml("/api/v1/events/rss"),
    Atom: await xml("/feed.atom"),
    "JSON Feed": item,
  };
  return { event, texts };
}

/** All texts in a value, one after the other. */
function flat(value: unknown): string {
  if (typeof value === "object" && value !== null) return Object.values(value).map(flat).join(" ");
  return plain(value);
}

Deno.test("all representations of an event have its name, days, place, topics, website and address", async () => {
  const place = { "Format": "both", "In Person Location": "Porto, Portugal" };
  const cases: [cells: Record<string, unknown>, words: RegExp, days: RegExp][] = [
    [{}, /1–2 December 2026/, /2026-12-01.*2026-12-03/],
    [{ "End Date": undefined }, /from 1 December 2026/, /2026-12-01(?!.*2026-12-0[23])/],
    [
      { ...place, "In Person Start": "2026-12-02", "In Person End": "2026-12-02" },
      /1–2 December 2026.*2 December/,
      /2026-12-02.*2026-12-03/,
    ],
  ];
  for (const [cells, words, days] of cases) {
    const { event, texts } = await textsOf(row({
      "Name": "Winter jam",
      "Description": "Bring a pan.",
      "Url": "https://jam.example/winter",
      "Project Types": ["CAD"],
      ...place,
      ...cells,
    }));
    for (const [kind, found] of Object.entries(texts)) {
      const text = flat(found);
      const isData = kind === "JSON-LD";
      const facts = ["Winter jam", "Porto, Portugal", "Bring a pan."];
      if (!isData) facts.push("CAD");
      if (kind !== "HTML" && kind !== "markdown") facts.push(`${BASE_URL}/events/${event.slug}`);
      for (const fact of facts) assert.ok(text.includes(fact), `${kind}: ${fact} in ${text}`);
      if (kind === "iCalendar") assert.match(text, days);
      else if (isData) assert.match(text, /2026-12-01/);
      else assert.match(text, words, kind);
    }
  }
});

Deno.test("all representations of a hostile event show the same text", async () => {
  for (const [id, typed] of Object.entries(HOSTILE)) {
    const { event, texts } = await textsOf(row({
      id: `rec${id}`,
      "Name": typed,
      "Description": typed,
      "In Person Location": typed,
      "Format": id.length % 2 === 0 ? "both" : "in-person",
      "Requirements": typed,
      "Slack Channel": typed,
      "Url": typed,
    }));
    for (const [kind, found] of Object.entries(texts)) {
      const text = flat(found);
      for (const name of ["name", "description"]) {
        const wanted = plain(event[name]);
        assert.ok(text.includes(wanted), `${kind}, ${id}: ${wanted} in ${text.slice(0, 2_000)}`);
      }
    }
  }
});
