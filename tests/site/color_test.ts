/** The colour of a site, and the colours that are derived from it. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { GROUNDS, INK } from "../../lib/events/theme/card_style.ts";
import {
  type Color,
  parseColor,
  TEXT_RATIO,
  toHex,
  worstContrast,
} from "../../lib/events/theme/color.ts";
import { accentsOf, letterColors, siteMark, SURFACES } from "../../lib/events/site/site_style.ts";

const TOKENS = await Deno.readTextFile(new URL("../../styles/tokens.css", import.meta.url));
const SCHEMES = ["light", "dark"] as const;
const channel = fc.integer({ min: 0, max: 255 });
const anyColor = fc.tuple(channel, channel, channel);

function colorOf(text: string): Color {
  const paint = parseColor(text);
  assert.ok(paint !== null, text);
  return paint.color;
}

/** A token in each scheme, as the style sheet has it. */
function tokenOf(name: string): { readonly light: string; readonly dark: string } {
  const [, light = "", dark = ""] =
    new RegExp(`--${name}: light-dark\\((.*?\\)), (.*?\\))\\);`).exec(TOKENS) ?? [];
  return { light, dark };
}

Deno.test("the surfaces and inks that colours are checked with are those of the pages", () => {
  for (const scheme of SCHEMES) {
    const [ground, ...raised] = SURFACES[scheme];
    assert.equal(ground, GROUNDS[scheme]);
    assert.deepEqual(raised, [tokenOf("raised")[scheme], tokenOf("sunken")[scheme]]);
  }
  assert.equal(INK, toHex(colorOf(tokenOf("ink").light)));
});

Deno.test("each colour that text has can be read on every surface, light and dark", async () => {
  const sheets = await Promise.all(
    ["styles", "components"].map((folder) => new URL(`../../${folder}/`, import.meta.url))
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: "utf8" })
          // An embed has tokens of its own.
          .filter((path) => path.endsWith(".css") && !path.endsWith("embed.css"))
          .map((path) => Deno.readTextFile(new URL(path, folder)))
      ),
  );
  const used = [...sheets.join("\n").matchAll(/(?<![-\w])color: var\(--([\w-]+)/g)]
    .map(([, name = ""]) => name);
  // The code that makes the colours of cards checks them.
  const tokens = new Set(used.filter((name) => !/^(?:card|button)-/.test(name)));
  assert.deepEqual(tokens, new Set(["ink", "ground", "accent", "quiet", "bad"]));
  for (const scheme of SCHEMES) {
    for (const name of ["ink", "quiet", "accent", "bad"]) {
      const ratio = worstContrast(colorOf(tokenOf(name)[scheme]), SURFACES[scheme].map(colorOf));
      assert.ok(ratio >= TEXT_RATIO, `${name} in ${scheme}: ${ratio}`);
    }
    // Buttons and the link to the content.
    const ground = colorOf(GROUNDS[scheme]);
    assert.ok(worstContrast(ground, [colorOf(tokenOf("ink")[scheme])]) >= TEXT_RATIO);
  }
});

Deno.test("an accent of any chosen colour is legible on every surface, light and dark", () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      const accents = accentsOf(color);
      for (const scheme of SCHEMES) {
        const shown = colorOf(accents[scheme]);
        const ratio = worstContrast(shown, SURFACES[scheme].map(colorOf));
        assert.ok(ratio >= TEXT_RATIO, `${color} in ${scheme}: ${accents[scheme]}, ${ratio}`);
      }
    }),
    { numRuns: 500 },
  );
  // A readable colour stays.
  assert.equal(accentsOf(colorOf("#0a5a40")).light, "#0a5a40");
  // An unreadable colour keeps its hue.
  assert.equal(accentsOf(colorOf("#ffd400")).light, "#806900");
});

Deno.test("the letter of an icon and the name in a picture are legible on any chosen colour", () => {
  const file = { bytes: new Uint8Array(), version: "", href: "", isWide: false };
  const logos = ["image/png", "image/svg+xml"].map((contentType) => ({ ...file, contentType }));
  fc.assert(
    fc.property(anyColor, fc.constantFrom(null, ...logos), (color, logo) => {
      const marks = [letterColors(color), siteMark({ color, logo })];
      for (const { ground, ink } of marks.filter((each) => each !== null)) {
        const ratio = worstContrast(colorOf(ink), [colorOf(ground)]);
        assert.ok(ratio >= TEXT_RATIO, `${ink} on ${ground}`);
      }
    }),
    { numRuns: 500 },
  );
});
