/** Logos: which files are accepted, and which parts of them are kept. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { LogoError } from "../../../lib/events/look/svg_markup.ts";
import { readLogo } from "../../../lib/events/look/logo.ts";
import { encodePng } from "../../../lib/sandbox/png.ts";
import { GROUNDS, INKS } from "../../../lib/events/theme/card_style.ts";
import { writeSvg } from "../../../lib/events/site/logo_svg.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const svg = (inner: string, attributes = `viewBox="0 0 100 40"`) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`;
/** The SVG that is served for another. */
const cleaned = (text: string) => new TextDecoder().decode(readLogo(bytesOf(text)).bytes);
/** The elements and attributes that a cleaned file may hold. */
const SAFE =
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="[-\d. e]+" width="[\d.e+-]+" height="[\d.e+-]+">(?:<style>svg\{color:#[\da-f]{6}\}(?:@media\(prefers-color-scheme:dark\)\{svg\{color:#[\da-f]{6}\}\})?<\/style>|<\/?(?:defs|g|path|rect|clipPath|linearGradient|radialGradient|stop)(?: [a-zA-Z\d-]+="(?:[\w\s,.#()+-]*)")*\/?>)*<\/svg>\n$/;

Deno.test("a logo is written again from its paths, and nothing else of the file is left", () => {
  const cases: readonly [inner: string, expected: RegExp | string][] = [
    [`<path d="M0 0h9v9z" onclick="x()"/>`, `<path d="M0 0h9v9z" fill="#000000"/>`],
    [`<script>alert(1)</script><path d="M1 1h9"/>`, `<path d="M1 1h9" fill="#000000"/>`],
    [`<a href="javascript:x()"><path d="M1 1h9"/></a>`, `<path d="M1 1h9" fill="#000000"/>`],
    [`<title>T</title><desc>D</desc><path d="M1 1h9"/>`, `<path d="M1 1h9" fill="#000000"/>`],
    [`<path d="M1 1h9"><animate attributeName="d"/></path>`, `<path d="M1 1h9" fill="#000000"/>`],
    [`<sodipodi:x/><path d="M1 1h9"/>`, `<path d="M1 1h9" fill="#000000"/>`],
    [`<rect width="4" height="2" fill="RED"/>`, `<path d="M0 0h4v2h-4Z" fill="#ff0000"/>`],
    [`<rect width="100%" height="50%"/>`, `d="M0 0h100v20h-100Z"`],
    [`<rect x="1pc" y="3pt" width="1in" height="25.4mm"/>`, `d="M16 4h96v96h-96Z"`],
    [`<rect y="-1px" width="2" height="2.54cm"/>`, `d="M0 -1h2v96h-2Z"`],
    [
      `<linearGradient id="g" gradientUnits="userSpaceOnUse"><stop/></linearGradient><path fill="url(#g)" d="M0 0h1"/>`,
      `x1="0" y1="0" x2="100" y2="0" gradientUnits="userSpaceOnUse"`,
    ],
    [
      `<linearGradient id="a" gradientUnits="userSpaceOnUse" x1="1" y1="2" x2="3" y2="4"><stop/></linearGradient><linearGradient id="g" href="#a"/><path fill="url(#g)" d="M0 0h1"/>`,
      `x1="1" y1="2" x2="3" y2="4" gradientUnits="userSpaceOnUse"`,
    ],
    [
      `<linearGradient id="a" x1="1" y1="2"><stop/></linearGradient><linearGradient id="g" href="#a" x1="0.5"/><path fill="url(#g)" d="M0 0h1"/>`,
      `x1="0.5" y1="2" x2="1" y2="0"`,
    ],
    [`<g fill="red"><path fill="" d="M0 0h1"/></g>`, `fill="#ff0000"`],
    [`<circle cx="5" cy="5" r="2"/>`, `d="M3 5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0Z"`],
    [`<polygon points="0,0 4,0 4,4"/>`, `d="M0 0 4 0 4 4Z"`],
    [`<g fill="#0a7d5b"><path d="M0 0h1"/></g>`, `fill="#0a7d5b"`],
    [`<style>.a{fill:#0A7D5B}</style><path class="a" fill="red" d="M0 0h1"/>`, `fill="#0a7d5b"`],
    [`<style>path{fill:red}#b{fill:blue}</style><path id="b" d="M0 0h1"/>`, `fill="#0000ff"`],
    [
      `<style>@import "x";@media (prefers-color-scheme:dark){path{fill:#fff}g{}}path{fill:#00f}</style><path d="M0 0h1"/>`,
      `fill="#0000ff"`,
    ],
    [
      `<style>@import url("https://fonts.example/css2?family=Inter:wght@400;700");@supports (d:e){@media (f){path{fill:red}}}path{fill:#00f}</style><path d="M0 0h1"/>`,
      `fill="#0000ff"`,
    ],
    [
      `<linearGradient id="a:b"><stop/></linearGradient><path style="fill:url(#a:b)" d="M0 0h1"/>`,
      `fill="url(#d0)"`,
    ],
    [`<!-- a -- b <g> --><path d="M0 0h1"/><!---->`, `<path d="M0 0h1" fill="#000000"/>`],
    [
      `<style><![CDATA[/* <!-- */path{fill:#00f}/* --> */]]></style><path d="M0 0h1"/>`,
      `fill="#0000ff"`,
    ],
    [
      `<mask id="m" fill="white"><path d="M0 0h2"/></mask><path style="mask:url(#m)" d="M0 0h1"/>`,
      /<clipPath id="d0"><path d="M0 0h2"\/><\/clipPath>/,
    ],
    [`<path style="fill:#123; fill:#456 !important" d="M0 0h1"/>`, `fill="#445566"`],
    [`<path fill="currentColor" d="M0 0h1"/>`, `<style>svg{color:${INKS.light}}@media`],
    [`<g transform="translate(2 3) scale(2)"><path d="M0 0h1"/></g>`, `matrix(2 0 0 2 2 3)`],
    [`<path transform="scale(2,3)" d="M0 0h1"/>`, `matrix(2 0 0 3 0 0)`],
    [`<path transform="matrix(1 2 3 4 5 6)" d="M0 0h1"/>`, `matrix(1 2 3 4 5 6)`],
    [`<path transform="rotate(90)" d="M0 0h1"/>`, /matrix\(\S+ 1 -1 \S+ 0 0\)/],
    [`<path transform="rotate(90 5 1)" d="M0 0h1"/>`, /matrix\(\S+ 1 -1 \S+ 6 -4\)/],
    [`<path transform="skewX(45)" d="M0 0h1"/>`, `matrix(1 0 1 1 0 0)`],
    [`<path transform="skewY(-45)" d="M0 0h1"/>`, `matrix(1 -1 0 1 0 0)`],
    [`<g opacity=".5"><path fill-opacity=".5" d="M0 0h1"/></g>`, `fill-opacity="0.25"`],
    [`<path id="p" d="M0 0h1"/><use href="#p" x="5"/>`, `matrix(1 0 0 1 5 0)`],
    [
      `<clipPath id="c"><circle r="3"/></clipPath><path clip-path="url(#c)" d="M0 0h1"/>`,
      /<clipPath id="d0"><path [^>]*\/><\/clipPath><\/defs><g clip-path="url\(#d0\)"><path/,
    ],
    [
      `<linearGradient id="g"><stop stop-color="#fff"/></linearGradient><path fill="url(#g)" d="M0 0h1"/>`,
      /<linearGradient id="d0" [^>]*><stop offset="0" stop-color="#ffffff"\/>/,
    ],
    [
      `<path stroke="#00f" stroke-width="2px" d="M0 0h1"/>`,
      /stroke="#0000ff" stroke-width="2" [^>]*stroke-miterlimit="4"/,
    ],
  ];
  for (const [inner, expected] of cases) {
    const text = cleaned(svg(inner));
    assert.match(text, SAFE, inner);
    if (typeof expected === "string") assert.ok(text.includes(expected), `${inner}\n${text}`);
    else assert.match(text, expected, inner);
  }
  // Comments, declarations and entities of XML are not part of a drawing.
  const wrapped = `\uFEFF<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">` +
    `<!-- a > b -->${svg(`<path d="M0 0h1" fill="&#35;f00"/>`)}`;
  assert.match(cleaned(wrapped), /fill="#ff0000"/);
});

Deno.test("a file that cannot be drawn faithfully is refused with the reason", () => {
  const cases: readonly [file: string, reason: RegExp][] = [
    ["", /neither SVG nor PNG/],
    ["<html></html>", /neither SVG nor PNG/],
    ["\u0000\u0001", /neither SVG nor PNG/],
    [svg(`<text>Harbour</text>`), /a <text>; turn it into paths/],
    [svg(`<image href="x.png"/>`), /a <image>/],
    [svg(`<foreignObject/>`), /a <foreignObject>/],
    [svg(`<g filter="url(#f)"><path d="M0 0h1"/></g>`), /a filter/],
    [
      svg(`<mask id="m"><path fill="#ccc" d="M0 0h1"/></mask><path mask="url(#m)" d="M0 0h1"/>`),
      /a mask that is not all white/,
    ],
    [
      svg(`<path d="M0 0h1" fill="var(--brand)"/>`),
      /a colour that cannot be read, "var\(--brand\)"/,
    ],
    [svg(`<path d="M0 0h1" fill="url(#none)"/>`), /refers to an element that is not in the file/],
    [svg(`<style>g > path{fill:red}</style><path d="M0 0h1"/>`), /a style sheet with "g > path"/],
    [svg(`<style>path{fill:red</style><path d="M0 0h1"/>`), /a style sheet that cannot be read/],
    [svg(`<g id="a"><use href="#a"/></g>`), /uses itself/],
    [svg(`<path d="M0 0h1" transform="spin(3)"/>`), /a transform that cannot be read/],
    [svg(""), /draws nothing/],
    [svg(`<path d="M0 0h1" display="none"/>`), /draws nothing/],
    [svg(`<path d="M0 0h1" visibility="hidden"/>`), /draws nothing/],
    [svg(`<rect width="0" height="2"/><rect width="2" height="0"/>`), /draws nothing/],
    [svg(`<circle r="0"/><ellipse rx="1"/><ellipse ry="1"/>`), /draws nothing/],
    [svg(`<path d="M0 0h1"/>`, ""), /neither a viewBox nor a size/],
    [svg(`<path d="M0 0h1"/>`, `viewBox="0 0 9 0"`), /neither a viewBox nor a size/],
    [svg(`<path d="M0 0h1"/>`, `viewBox="0 0 0 9"`), /neither a viewBox nor a size/],
    [svg(`<path d="M0 0h1">`), /not well-formed SVG/],
    [svg(`<path d=x/>`), /not well-formed SVG/],
    [`<!DOCTYPE svg [<!ENTITY a "b">]>${svg(`<path d="M0 0h1"/>`)}`, /declares entities/],
    [svg("<g>".repeat(200) + "</g>".repeat(200)), /nested deeper/],
    [svg(`<path d="M0 0h1"/>`.repeat(2_001)), /more than 2000 shapes/],
    [
      svg(
        `<path id="u0" d="M0 0${"h1".repeat(2_000)}"/>` +
          Array.from(
            { length: 20 },
            (_, at) => `<g id="u${at + 1}">${`<use href="#u${at}"/>`.repeat(3)}</g>`,
          ).join(""),
      ),
      /repeats its parts too often/,
    ],
  ];
  for (const [file, reason] of cases) {
    assert.throws(() => readLogo(bytesOf(file)), (error) => {
      assert.ok(error instanceof LogoError, String(error));
      assert.match(error.message, reason);
      return true;
    }, file.slice(0, 120));
  }
});

Deno.test("what no drawing program writes is refused as fast as any other file", () => {
  const many = (text: string) => text.repeat(90_000 / text.length);
  const shape = (attributes: string) => svg(`<path d="M0 0h1" ${attributes}/>`);
  const styled = (sheet: string) => svg(`<style>${sheet}</style>${`<g/>`.repeat(1_000)}`);
  const cases: readonly [file: string, reason: RegExp][] = [
    [styled(`a{${many("b ")}`), /a style sheet that cannot be read/],
    [styled(many("@")), /draws nothing/],
    [styled(`@${many(`"'`)}`), /draws nothing/],
    [styled(`@${many("{")}`), /draws nothing/],
    [styled(many("/*a")), /draws nothing/],
    [styled(`a{b:${many(" ")}c}`), /draws nothing/],
    [styled(`${many("a,")}a{}`), /more than 1000 rules of style/],
    [shape(`transform="${many("a")}"`), /a transform that cannot be read/],
    [shape(`fill="url(#${many(" ")}'x"`), /refers to an element that is not in the file/],
    [svg(`<path d="M0 0h1"/>`, `width="${many("1")}x" height="1"`), /neither a viewBox nor/],
    [many("<svg>"), /nested deeper/],
    [`<svg>${many("<!--")}`, /not well-formed SVG/],
    [`<svg>${many("<![CDATA[")}`, /not well-formed SVG/],
  ];
  for (const [file, reason] of cases) {
    assert.throws(() => readLogo(bytesOf(file)), reason, file.slice(0, 60));
  }
});

Deno.test("any SVG results in a safe file or is refused", () => {
  const name = fc.constantFrom(
    ...["path", "g", "a", "rect", "use", "style", "script", "svg:path", "circle", "linearGradient"],
    ...["clipPath", "stop", "image", "animate", "foreignObject"],
  );
  const attribute = fc.tuple(
    fc.constantFrom(
      "d",
      "fill",
      "stroke",
      "href",
      "xlink:href",
      "id",
      "style",
      "transform",
      "onload",
    ),
    fc.oneof(
      fc.constantFrom("M0 0h1", "#f00", "currentColor", "url(#x)", "#x", "x", "rotate(3)", "none"),
      fc.constantFrom(`url("javascript:x")`, "fill:url(#x);stroke:red", "red;}<b", "&quot;&gt;"),
      fc.string(),
    ),
  );
  const element = fc.letrec((tie) => ({
    node: fc.tuple(name, fc.array(attribute, { maxLength: 4 }), tie("inner")).map(
      ([tag, attributes, inner]) =>
        `<${tag} ${
          attributes.map(([key, value]) => `${key}="${value.replaceAll(/["<]/g, "")}"`).join(" ")
        }>${inner}</${tag}>`,
    ),
    inner: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.array(tie("node"), { maxLength: 3 }).map((nodes) => nodes.join("")),
    ),
  }));
  let taken = 0;
  fc.assert(
    fc.property(fc.array(element.node, { maxLength: 4 }), (nodes) => {
      let text: string;
      try {
        text = cleaned(svg(nodes.join("") + `<path id="x" d="M0 0h1"/>`));
      } catch (error) {
        assert.ok(error instanceof LogoError, String(error));
        return;
      }
      taken++;
      assert.match(text, SAFE);
      // Reading it again changes nothing.
      if (!text.includes("<style>")) assert.equal(cleaned(text), text);
    }),
    { numRuns: 500 },
  );
  assert.ok(taken > 20, `${taken} of 500 were taken`);
});

Deno.test("a PNG is accepted without its texts; other images and damaged ones are refused", () => {
  const png = encodePng({
    ...{ width: 4, height: 2, indexes: new Uint8Array(8), palette: Uint8Array.of(255, 0, 0) },
  });
  const logo = readLogo(png);
  assert.deepEqual([logo.type, logo.width, logo.height], ["image/png", 4, 2]);
  assert.deepEqual(logo.plates, { light: null, dark: null });
  assert.throws(() => readLogo(png.slice(0, 15)), LogoError);
  assert.throws(
    () => readLogo(bytesOf("GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;")),
    /is image\/gif/,
  );
});

Deno.test("a logo gets a plate on the screens on which it is hard to see", () => {
  const cases: readonly [colors: string, plates: object][] = [
    ["#0b1f3a", { light: null, dark: GROUNDS.light }],
    ["#e4572e", { light: null, dark: null }],
    ["#ffffff", { light: INKS.light, dark: null }],
    ["currentColor", { light: null, dark: null }],
    // The colour of text can be seen on every page.
    ["#ffffff currentColor", { light: null, dark: null }],
    ["#0b1f3a currentColor", { light: null, dark: GROUNDS.light }],
  ];
  for (const [colors, plates] of cases) {
    const shapes = colors.split(" ").map((color) => `<path d="M0 0h9v9z" fill="${color}"/>`);
    const logo = readLogo(bytesOf(svg(shapes.join(""))));
    assert.deepEqual(logo.plates, plates, colors);
  }
});

Deno.test("on a plate, the colour of text does not follow the scheme", () => {
  const ink = `<path d="M0 0h9v9z" fill="currentColor"/>`;
  const plated = cleaned(svg(`${ink}<path d="M9 0h9v9z" fill="#0b1f3a"/>`));
  assert.match(plated, new RegExp(`<style>svg\\{color:${INKS.light}\\}</style>`));
  assert.match(cleaned(svg(ink)), /@media\(prefers-color-scheme:dark\)/);
});

Deno.test("as an icon, a logo is in the middle of a square, on its plate if it needs one", () => {
  const { drawing } = readLogo(bytesOf(svg(`<path d="M0 0h9v9z" fill="currentColor"/>`)));
  assert.ok(drawing !== null);
  const bare = writeSvg(drawing, { isSquare: true, plate: null });
  assert.match(bare, /viewBox="0 -30 100 100"/);
  const plated = writeSvg(drawing, { isSquare: true, plate: "#fcfaf5" });
  assert.match(plated, /<rect [^>]*fill="#fcfaf5"\/>/);
  assert.doesNotMatch(plated, /@media/);
});
