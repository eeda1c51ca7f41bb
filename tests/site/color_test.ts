/** The one colour of a site, and what is derived from it. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { SURFACES } from "../../lib/site/card_style.ts";
import { type Color, parseColor } from "../../lib/site/color.ts";
import { TEXT_RATIO, worstContrast } from "../../lib/site/contrast.ts";
import { accentsOf } from "../../lib/site/site_color.ts";
import { openSite, row } from "./site.ts";

const RECORDS = [row({ "id": "rec00000000000001", "Name": "Jam" })];

function colorOf(text: string): Color {
  const paint = parseColor(text);
  assert.ok(paint !== null, text);
  return paint.color;
}

Deno.test("the surfaces that accents are checked on are those of the pages", async () => {
  const tokens = await Deno.readTextFile(new URL("../../styles/tokens.css", import.meta.url));
  const { light, dark } = SURFACES;
  assert.ok(tokens.includes(`--raised: light-dark(${light[1]}, ${dark[1]});`));
  assert.ok(tokens.includes(`--sunken: light-dark(${light[2]}, ${dark[2]});`));
});

Deno.test("an accent can be read on every surface, light and dark, whatever colour is chosen", () => {
  const channel = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(channel, channel, channel), (color) => {
      const accents = accentsOf(color);
      for (const scheme of ["light", "dark"] as const) {
        const shown = colorOf(accents[scheme]);
        const ratio = worstContrast(shown, SURFACES[scheme].map(colorOf));
        assert.ok(ratio >= TEXT_RATIO, `${color} in ${scheme}: ${accents[scheme]}, ${ratio}`);
      }
    }),
    { numRuns: 500 },
  );
  // One that can be read already stays.
  assert.equal(accentsOf(colorOf("#0a5a40")).light, "#0a5a40");
});

Deno.test("every page has the site's colour, by a rule that its policy allows", async () => {
  await using site = await openSite(RECORDS, { SITE_COLOR: "#0a7d5b" });
  const { light, dark } = accentsOf(colorOf("#0a7d5b"));
  const rule = `:root{--accent:light-dark(${light},${dark})}`;
  const hash = createHash("sha256").update(rule).digest("base64");
  for (const path of ["/", "/events/jam", "/docs", "/status", "/usage", "/nothing/here"]) {
    const { html, headers } = await site.see(path);
    assert.ok(html.includes(`<style>${rule}</style>`), path);
    assert.ok(headers.get("content-security-policy")?.includes(`'sha256-${hash}'`), path);
    // Later rules win, so it follows the usual one.
    assert.ok(html.indexOf(rule) > html.indexOf("--accent:"), path);
  }
  assert.match(await (await site.get("/favicon.svg")).text(), /fill="#0a7d5b"/);
});
