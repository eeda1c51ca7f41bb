/** Slugs: readable, unique, and stable when others are announced. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { RESERVED_NAMES } from "../../lib/events/reading/record.ts";
import { assignSlugs, slugOf } from "../../lib/events/reading/slugs.ts";
import { snapshotOf } from "./build.ts";
import type { Snapshot } from "../../lib/events/keeping/snapshot.ts";

Deno.test("a name becomes lower-case ASCII words", () => {
  const table = [
    ["Hack Night 2026!", "hack-night-2026"],
    ["Café Ünïcode", "cafe-unicode"],
    ["FOSS-LÄND x OpenChain", "foss-land-x-openchain"],
    ["Don't Panic", "dont-panic"],
    ["東京 Meetup", "dongjing-meetup"],
    ["ДевКонф", "devkonf"],
    ["Łódź Çırağan Þór Straße", "lodz-ciragan-thor-strasse"],
    ["Ａ１ ﬁne", "a1-fine"],
    ["Αθήνα", "athina"],
    ["C++ & C#", "c-c"],
    ["a\u0000b\ud800c", "a-bc"],
    ["🎉", "tada"],
    ["e\u0301te\u0301", "ete"],
    ["がんばれ한국".normalize("NFD"), "ganbarehangug"],
    ["-a-", "a"],
    ["../../etc/passwd?x#y", "etc-passwd-x-y"],
    ["", ""],
    ["’", ""],
    ["…", ""],
    ["  --  ", ""],
    ["rss", "rss"],
  ] as const;
  for (const [name, slug] of table) assert.equal(slugOf(name), slug);
});

Deno.test("a slug has at most 80 characters and ends at a word", () => {
  assert.ok(slugOf("word ".repeat(20_000)).length <= 80);
  assert.match(slugOf("word ".repeat(100)), /word$/);
  assert.equal(slugOf("x".repeat(300)).length, 80);
  assert.equal(slugOf(`${"x".repeat(80)} tail`), "x".repeat(80));
  assert.equal(slugOf(`${"x".repeat(79)} tail`), "x".repeat(79));
  assert.ok(slugOf("é".repeat(131_072)).length <= 80);
});

Deno.test("the slug of any name can stand in an address unchanged", () => {
  const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
  const name = fc.string({ unit: character, maxLength: 200 });
  fc.assert(fc.property(name, (name) => {
    const slug = slugOf(name);
    assert.match(slug, /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
    assert.ok(slug.length <= 80);
    assert.equal(slugOf(name), slug);
  }));
});

const named = (id: string, name: string, announcedAt: string) => ({ id, name, announcedAt });

Deno.test("each address beside an event's own is reserved", () => {
  const files = readdirSync(new URL("../../routes/api/v1/events/", import.meta.url));
  const names = files.map((file) => file.replace(/\.tsx?$/, ""))
    .filter((name) => !/^index$|\[/.test(name));
  assert.deepEqual(names.sort(), [...RESERVED_NAMES].sort());
});

Deno.test("the first announced event gets the plain slug; ids and rss are reserved; a name without letters gets the id", async () => {
  const slugs = await assignSlugs([
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

/** A table of one moment; an event whose day cannot be read is left out. */
const anyTable = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("rec1", "rec2", "rec3", "rec4", "rec5", "meet", "meet-2", "rss-2"),
    name: fc.constantFrom("Meet", "Meet!", "Meet 2", "Conf", "🎉", "!", "RSS", "rec1"),
    announced: fc.constantFrom("2026-01-01", "2026-02-01", "2026-03-01"),
    isReadable: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 6 },
);

Deno.test("over any sequence of reads an event keeps its slug until it is renamed, and no slug is another's, another's id or the feed's address", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTable, { minLength: 2, maxLength: 8 }), async (tables) => {
      let last: Snapshot | null = null;
      /** The slugs of present events, readable or not, with their names at that time. */
      let held = new Map<string, { readonly slug: string; readonly name: string }>();
      for (const [at, table] of tables.entries()) {
        const records = table.map(({ id, name, announced, isReadable }) => ({
          id,
          fields: {
            "Name": name,
            "Start Date": isReadable ? "2026-12-01" : "soon",
            "Announced At": `${announced}T00:00:00Z`,
          },
        }));
        const built: Snapshot = await snapshotOf(records, last, at * 60_000);
        const ids = new Set<string>(table.map(({ id }) => id));
        const slugs = built.events.map(({ slug }) => slug);
        assert.equal(new Set(slugs).size, slugs.length);
        assert.ok(!slugs.includes("rss"));
        for (const { id, slug } of built.events) {
          assert.ok(built.events.every((other) => other.id === id || other.id !== slug), slug);
        }
        const now = new Map(
          [...held].filter(([id]) => ids.has(id) && !built.events.some((event) => event.id === id)),
        );
        for (const { id, slug, name } of built.events) {
          const before = held.get(id);
          const isFree = before !== undefined &&
            !built.events.some((event) => event.id === before.slug);
          // An id that is another event's slug always means its own event.
          if (isFree && slugOf(before.name) === slugOf(name)) assert.equal(slug, before.slug);
          for (const [other, kept] of now) {
            if (other !== id && !ids.has(kept.slug)) assert.notEqual(slug, kept.slug);
          }
        }
        for (const { id, slug, name } of built.events) now.set(id, { slug, name });
        [held, last] = [now, built];
      }
    }),
    { numRuns: 300 },
  );
});
