/** Fonts: which files are accepted, and the measures that pages need. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { FontError } from "../../../lib/events/look/woff2.ts";
import { readAdvances, readCharacters, readFont } from "../../../lib/events/look/font.ts";

const USUAL = await Deno.readFile(
  new URL("../../../static/fonts/bricolage-grotesque.woff2", import.meta.url),
);
const FRAUNCES = await Deno.readFile(
  new URL("../../../lib/sandbox/data/harbour/fraunces.woff2", import.meta.url),
);

Deno.test("a font's measures are read from its file, in the weight of headings", () => {
  const usual = readFont(USUAL);
  // The measures in `tokens.css` of the same font were found by comparing texts in a browser.
  const tokens = Deno.readTextFileSync(new URL("../../../styles/tokens.css", import.meta.url));
  const said = (name: string) => Number(new RegExp(`${name}: ([\\d.]+)%`).exec(tokens)?.[1]) / 100;
  const scale = said("size-adjust");
  assert.ok(Math.abs(usual.fallbackScale - scale) < 0.015, `${usual.fallbackScale}`);
  assert.ok(Math.abs(usual.ascent - said("ascent-override") * scale) < 0.001);
  assert.ok(Math.abs(usual.descent - said("descent-override") * scale) < 0.001);
  assert.deepEqual([usual.minWeight, usual.maxWeight], [400, 800]);
  const other = readFont(FRAUNCES);
  assert.deepEqual([other.minWeight, other.maxWeight], [100, 900]);
  assert.notEqual(other.version, usual.version);
});

Deno.test("a file that is not a variable font in WOFF2 with Latin letters is refused with the reason", () => {
  const cases: readonly [file: Uint8Array<ArrayBuffer>, reason: RegExp][] = [
    [new Uint8Array(), /no font in WOFF2/],
    [new TextEncoder().encode("wOFF".padEnd(100)), /no font in WOFF2/],
    [withTag(FRAUNCES, "fvar"), /is not variable/],
    [withTag(FRAUNCES, "cmap"), /lacks the table cmap/],
    [FRAUNCES.slice(0, 20_000), /is damaged/],
    [readVietnamese(), /lacks the letter/],
  ];
  for (const [file, reason] of cases) {
    assert.throws(() => readFont(file), (error) => {
      assert.ok(error instanceof FontError, String(error));
      assert.match(error.message, reason);
      return true;
    });
  }
});

Deno.test("packed advances are those of the table that they stand for", () => {
  const [plain, packed] = [new DataView(new ArrayBuffer(12)), new DataView(new ArrayBuffer(7))];
  [500, 600, 700].forEach((advance, at) => {
    plain.setUint16(4 * at, advance);
    packed.setUint16(1 + 2 * at, advance);
  });
  for (const table of [["hmtx", plain], ["hmtx transformed", packed]] as const) {
    // The last advance is that of all glyphs after it.
    assert.deepEqual([0, 1, 2, 9].map(readAdvances(new Map([table]), 3)), [500, 600, 700, 700]);
  }
});

Deno.test("characters have their glyphs in a font with a table of segments, of groups, or of both", () => {
  const [ends, starts, deltas, ranges] = [[0x7a, 0xffff], [0x61, 0xffff], [5 - 0x61, 1], [0, 0]];
  const segments = [4, 32, 0, 4, 0, 0, 0, ...ends, 0, ...starts, ...deltas, ...ranges];
  const groups = [12, 0, 0, 28, 0, 0, 0, 1, 0, 0x61, 0, 0x7a, 0, 5];
  for (const tables of [[segments], [groups], [groups, segments]]) {
    let offset = 4 + 8 * tables.length;
    const records = tables.flatMap((table) => {
      const record = [3, 1, 0, offset];
      offset += 2 * table.length;
      return record;
    });
    const numbers = [0, tables.length, ...records, ...tables.flat()];
    const cmap = new DataView(new ArrayBuffer(2 * numbers.length));
    numbers.forEach((number, at) => cmap.setUint16(2 * at, number));
    assert.deepEqual([0x60, 0x61, 0x7a, 0x7b].map(readCharacters(cmap)), [0, 5, 30, 0]);
  }
});

Deno.test("a damaged font is refused, or read; nothing else happens", () => {
  // The directory of tables; the rest is one compressed stream, which itself detects damage.
  const place = fc.nat(139);
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 4 }), (edits) => {
      const file = FRAUNCES.slice();
      for (const [at, byte] of edits) file[at] = byte;
      try {
        readFont(file);
      } catch (error) {
        assert.ok(error instanceof FontError, String(error));
      }
    }),
    { numRuns: 100 },
  );
});

/** The file with another number for a table, which changes the table's name. */
function withTag(file: Uint8Array<ArrayBuffer>, tag: "fvar" | "cmap"): Uint8Array<ArrayBuffer> {
  const changed = file.slice();
  const count = new DataView(file.buffer).getUint16(12);
  const known = { fvar: 47, cmap: 0 }[tag];
  let at = 48;
  for (let index = 0; index < count; index++) {
    const flags = changed[at] ?? 0;
    if ((flags & 63) === known) {
      changed[at] = (flags & 0xc0) | 50;
      return changed;
    }
    const isOutline = (flags & 63) === 10 || (flags & 63) === 11;
    const lengths = (isOutline ? flags >> 6 !== 3 : flags >> 6 !== 0) ? 2 : 1;
    at += (flags & 63) === 63 ? 5 : 1;
    for (let length = 0; length < lengths; length++) {
      while ((changed[at++] ?? 0) >= 128);
    }
  }
  throw new Error(`no ${tag}`);
}

function readVietnamese(): Uint8Array<ArrayBuffer> {
  const name = "../../../static/fonts/bricolage-grotesque-vietnamese.woff2";
  return Deno.readFileSync(new URL(name, import.meta.url));
}
