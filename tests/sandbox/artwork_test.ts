import assert from "node:assert/strict";
import { backgroundPicture, logoPicture, renderPicture } from "../../lib/sandbox/artwork.ts";
import { PALETTES } from "../../lib/sandbox/palettes.ts";
import { readPng } from "./read_png.ts";

Deno.test("logos and backgrounds are whole PNG files of their declared size", () => {
  for (let i = 0; i < 8; i++) {
    const logo = readPng(renderPicture(logoPicture(`seed ${i}`, "plum")));
    assert.deepEqual([logo.width, logo.height, logo.colorType], [256, 256, 6]);
    assert.deepEqual(logo.chunks, ["IHDR", "IDAT", "IEND"]);
    const background = readPng(renderPicture(backgroundPicture(`seed ${i}`, "plum")));
    assert.deepEqual([background.width, background.height, background.colorType], [768, 512, 3]);
    assert.deepEqual(background.chunks, ["IHDR", "PLTE", "IDAT", "IEND"]);
  }
});

Deno.test("a logo is drawn on transparent ground and fills a good part of it", () => {
  for (let i = 0; i < 12; i++) {
    const { rows } = readPng(renderPicture(logoPicture(`seed ${i}`, "sky")));
    let opaque = 0;
    for (let row = 0; row < 256; row++) {
      // A filter byte, then red, green, blue and alpha of each pixel.
      for (let column = 0; column < 256; column++) {
        if ((rows[row * 1025 + 4 + column * 4] ?? 0) > 200) opaque++;
      }
    }
    assert.equal(rows[4], 0, "the corner is transparent");
    assert.ok(opaque > 256 * 256 * 0.12 && opaque < 256 * 256 * 0.95, `${i}: ${opaque}`);
  }
});

Deno.test("the same seed gives the same bytes, another seed others", () => {
  for (const picture of [logoPicture, backgroundPicture]) {
    const bytes = renderPicture(picture("a", "ember"));
    assert.deepEqual(renderPicture(picture("a", "ember")), bytes);
    assert.notDeepEqual(renderPicture(picture("b", "ember")), bytes);
    assert.notDeepEqual(renderPicture(picture("a", "sky")), bytes);
    assert.throws(() => renderPicture(picture("a", "teal")), /No palette is called teal/);
  }
});

Deno.test("every palette is readable over the whole of its background", () => {
  assert.ok(PALETTES.length >= 12);
  assert.deepEqual(new Set(PALETTES.map(({ mood }) => mood)).size, 4);
  for (const { name, ramp, text, accent, button } of PALETTES) {
    for (const color of ramp) {
      assert.ok(contrast(text, color) >= 4.5, `${name}: text on ${color}`);
      assert.ok(contrast(accent, color) >= 3, `${name}: accent on ${color}`);
    }
    assert.ok(contrast(button.text, button.color) >= 4.5, `${name}: button`);
  }
});

/** Contrast ratio by WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
