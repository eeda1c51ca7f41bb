/** Slugs: readable, unique, and stable when others are announced. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { assignSlugs, slugOf } from "../../lib/events/slug.ts";

Deno.test("a name becomes lower-case ASCII words", () => {
  const table = [
    ["Hack Night 2026!", "hack-night-2026"],
    ["Café Ünïcode", "cafe-unicode"],
    ["FOSS-LÄND x OpenChain", "foss-land-x-openchain"],
    ["Don't Panic", "dont-panic"],
    ["東京 Meetup", "dongjing-meetup"],
    ["ДевКонф", "devkonf"],
    ["  --  ", ""],
    ["rss", "rss"],
  ] as const;
  for (const [name, slug] of table) assert.equal(slugOf(name), slug);
});

Deno.test("a slug has at most 80 characters and ends at a word", () => {
  assert.ok(slugOf("word ".repeat(20_000)).length <= 80);
  assert.match(slugOf("word ".repeat(100)), /word$/);
  assert.equal(slugOf("x".repeat(300)).length, 80);
});

const named = (id: string, name: string, announcedAt: string) => ({ id, name, announcedAt });

Deno.test("of one name the first announced keeps it, ids and rss are reserved, else the id", () => {
  const slugs = assignSlugs([
    named("r3", "Meet", "2026-03"),
    named("r1", "Meet", "2026-01"),
    named("r2", "Meet", "2026-02"),
    named("r4", "RSS", "2026-04"),
    named("taken", "Other", "2026-05"),
    named("r6", "Taken", "2026-06"),
    named("r7", "!!!", "2026-07"),
  ]);
  assert.deepEqual(slugs, ["meet-3", "meet", "meet-2", "rss-2", "other", "taken-2", "r7"]);
});

Deno.test("slugs are unique, and a later announcement moves no earlier one", () => {
  const name = fc.constantFrom("Meet", "Meet 2", "meet!", "RSS", "Conf", "", "Meet 2 2", "r1");
  fc.assert(fc.property(fc.array(name, { minLength: 1, maxLength: 12 }), (names) => {
    const events = names.map((name, at) => named(`r${at}`, name, `2026-01-${10 + at}`));
    const slugs = assignSlugs(events);
    assert.equal(new Set(slugs).size, slugs.length);
    const earlier = events.slice(0, -1);
    const before = assignSlugs(earlier);
    const lastId = events.at(-1)?.id;
    // An event whose id is another's slug takes that slug, since an id is never anything else.
    if (!before.includes(lastId ?? "")) assert.deepEqual(slugs.slice(0, -1), before);
  }));
});
