/** Events as the catalog returns them for feeds, and hostile texts. */

import fc from "fast-check";
import type { RevisedEvent } from "../../lib/events/catalog.ts";
import type { FeedHead } from "../../lib/events/feeds/internal/atom.ts";

/** When {@linkcode revisedEvent}'s event was changed, unless a test says otherwise. */
const CHANGED_AT = Date.parse("2026-11-20T10:00:00.250Z");

/** An event with all fields, some of which a test may replace. */
export function revisedEvent(fields: Partial<RevisedEvent> = {}): RevisedEvent {
  return {
    id: "recA",
    slug: "hack-night",
    name: "Hack Night",
    description: "Come and build.",
    url: "https://hack.example/night?a=1&b=2",
    startDate: "2026-12-01",
    endDate: "2026-12-03",
    announcedAt: "2026-11-02T03:04:05.000Z",
    format: "in-person",
    inPerson: { start: null, end: null, location: "Berlin" },
    projectTypes: ["CAD", "Other"],
    slackChannel: "hack-night",
    slackUrl: "https://chat.example/c/1",
    requirements: "A laptop.",
    pinned: false,
    logoUrl: "https://signed.example/logo?sig=1",
    background: { type: "image", color: "#fff", imageUrl: "https://signed.example/bg?sig=1" },
    theme: {
      text: "#111",
      accent: "#ec3750",
      logoSize: 1,
      button: {
        color: "#000",
        textColor: "#fff",
        borderRadius: 4,
        borderWidth: 1,
        borderColor: "#000",
      },
    },
    changedAt: CHANGED_AT,
    sequence: 3,
    facts: "facts",
    ...fields,
  };
}

/** The head of a feed at an address. */
export const feedHead = (address: string): FeedHead => ({
  baseUrl: "https://foyer.example",
  origin: "appTest",
  selfUrl: `https://foyer.example${address}`,
  siteName: "Foyer",
  title: "Foyer events",
  updatedAt: Date.parse("2026-11-21T10:00:00Z"),
});

const codeUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

/** Texts that break careless code: markup, line ends, escapes, controls, half characters. */
export const hostileText: fc.Arbitrary<string> = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: codeUnit, maxLength: 8 }),
    fc.string({ unit: "grapheme", minLength: 20, maxLength: 90 }),
    fc.constantFrom("]]>", "<![CDATA[", "</title>", "<script>alert(1)</script>", "<!--", "<br>"),
    fc.constantFrom("&amp;", "&", "&#0;", "&#x26;lt;", '"', "'", "{{0}}", "$&", "\r\n", "\r", "\n"),
    fc.constantFrom("\\", "\\n", "\\\\;", ";", ",", ":", "END:VEVENT", "\r\nEND:VCALENDAR\r\n"),
    fc.constantFrom("\u202eabc", "\ud800", "\udfff", "\ufffe", "\u0000", "\u001b[0m", "\u0085"),
    fc.constantFrom("\uffff", "\uffff0\uffff"),
    fc.constantFrom("\u2028", "\u2029", "\u000b", "\u007f", "\ufeff", "\t", " ", "😀".repeat(30)),
  ),
  { maxLength: 6 },
).map((parts) => parts.join(""));

/** The same without markup and addresses, which a description may have. */
export const hostileLines: fc.Arbitrary<string> = hostileText.map((text) =>
  text.replace(/[*_~`[@.]/g, "").replace(/\\(?=[\]#>+)-])|^[^\S\r\n]*[-+>#\d\s]+/gm, "")
);
