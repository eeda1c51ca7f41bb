/** Themes: readable whatever was typed, and no typed text in a style. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { Event } from "../../../lib/events/model.ts";
import { cardTheme, themeClass, type Themed, themeRules } from "../../../lib/events/theme/theme.ts";
import { PATTERNS, patternStyles } from "../../../lib/events/theme/patterns.ts";
import {
  type Color,
  parseColor,
  scrimmed,
  toHex,
  toOklch,
  worstContrast,
} from "../../../lib/events/theme/color.ts";

const hexes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((color) => toHex(color));
const typed = fc.oneof(
  hexes,
  fc.constantFrom(
    "red",
    "transparent",
    "rgb(10% 20% 30% / 0.4)",
    "hsl(210, 50%, 50%)",
    "oklch(0.7 0.1 200)",
    "#fff0",
    "",
    "url(https://evil.example/x)",
    "red;} body{display:none}",
    "</style><script>alert(1)</script>",
    "expression(alert(1))",
    "var(--x)",
  ),
  fc.string({ unit: "binary", maxLength: 80 }),
);
const numbers = fc.oneof(fc.double({ min: 0, max: 10_000, noNaN: true }), fc.constant(0));
const theme: fc.Arbitrary<Event["theme"]> = fc.record({
  text: typed,
  accent: typed,
  logoSize: numbers,
  button: fc.record({
    color: typed,
    textColor: typed,
    borderRadius: numbers,
    borderWidth: numbers,
    borderColor: typed,
  }),
});
const background: fc.Arbitrary<Event["background"]> = fc.record({
  type: fc.constantFrom("color" as const, "image" as const),
  color: typed,
  imageUrl: fc.option(fc.constant("https://files.example/a.png")),
});
const themed: fc.Arbitrary<Themed> = fc.record({
  name: fc.string({ unit: "binary", maxLength: 40 }),
  background: fc.option(background),
  theme: fc.option(theme),
});

function color(hex: string): Color {
  const paint = parseColor(hex);
  assert.ok(paint, hex);
  return paint.color;
}

Deno.test("every text has 4.5:1 and every edge 3:1, for any typed colours", () => {
  fc.assert(
    fc.property(themed, (event) => {
      const theme = cardTheme(event);
      const grounds = theme.scrim === null
        ? theme.pattern === null ? [color(theme.ground)] : [color(theme.ground), color(theme.shape)]
        : scrimmed({ color: color(theme.ground), alpha: theme.scrim });
      assert.ok(worstContrast(color(theme.text), grounds) >= 4.5, "text");
      assert.ok(worstContrast(color(theme.accent), grounds) >= 4.5, "accent");
      // The mark of the state is on the background itself.
      assert.ok(worstContrast(color(theme.text), [color(theme.ground)]) >= 4.5, "state");
      const { button } = theme;
      assert.ok(worstContrast(color(button.text), [color(button.color)]) >= 4.5, "button");
      const edges = [button.color, ...(button.borderWidth > 0 ? [button.borderColor] : [])];
      assert.ok(edges.some((edge) => worstContrast(color(edge), grounds) >= 3), "edge");
    }),
    { numRuns: 400 },
  );
});

Deno.test("a style holds numbers and #rrggbb, and nothing else", () => {
  fc.assert(
    fc.property(themed, (event) => {
      const theme = cardTheme(event);
      const styles = themeRules([theme]);
      assert.match(themeClass(theme), /^t-[A-Za-z0-9]{1,7}$/);
      assert.match(
        styles,
        /^\.t-[A-Za-z0-9]+\{(?:--[a-z-]+:(?:#[\da-f]{6}|\d{1,3}(?:px|%));?)+\}$/,
      );
    }),
    { numRuns: 400 },
  );
});

Deno.test("a legible colour stays as it was typed", () => {
  const theme = cardTheme({
    name: "Arcade",
    background: { type: "color", color: "#2B0A5E", imageUrl: null },
    theme: {
      text: "white",
      accent: "rgb(255 225 77)",
      logoSize: 72,
      button: {
        color: "#ffe14d",
        textColor: "#2b0a5e",
        borderRadius: 6,
        borderWidth: 3,
        borderColor: "#ffffff",
      },
    },
  });
  assert.deepEqual(theme, {
    ground: "#2b0a5e",
    shape: theme.shape,
    text: "#ffffff",
    accent: "#ffe14d",
    scrim: null,
    pattern: null,
    logoHeight: 72,
    button: {
      color: "#ffe14d",
      text: "#2b0a5e",
      radius: 6,
      borderWidth: 3,
      borderColor: "#ffffff",
    },
  });
  assert.match(
    themeRules([theme]),
    /--button-color:#ffe14d;--button-radius:6px;--button-border-width:3px;--button-border-color:#ffffff/,
  );
});

Deno.test("each pattern is a rule of its own, without a length in pixels", () => {
  const rules = patternStyles().trim().split("\n");
  assert.equal(rules.length, PATTERNS.length);
  for (const [at, rule] of rules.entries()) {
    assert.match(rule, /^\.pattern-\d\{background:var\(--card-ground\) [^{}]*gradient\([^{}]*\}$/);
    assert.ok(rule.startsWith(`.pattern-${at}{`), rule);
    assert.doesNotMatch(rule, /null|\dpx/);
  }
});

Deno.test("an unreadable text keeps its hue and moves as little as helps", () => {
  const theme = cardTheme({
    name: "Faint",
    background: { type: "color", color: "#ffffff", imageUrl: null },
    theme: {
      text: "#9999ff",
      accent: "#ffff00",
      logoSize: 0,
      button: {
        color: "#ffffff",
        textColor: "#ffffff",
        borderRadius: 9_999,
        borderWidth: 0,
        borderColor: "#ffffff",
      },
    },
  });
  const [red, green, blue] = color(theme.text);
  assert.ok(blue > red && blue > green);
  const ratio = worstContrast([red, green, blue], [[255, 255, 255]]);
  assert.ok(ratio >= 4.5 && ratio < 5.2, String(ratio));
  assert.equal(theme.logoHeight, 64);
  assert.equal(theme.button.radius, 999);
  assert.ok(theme.button.borderWidth > 0, "a white button on white gets an edge");
});

Deno.test("an event without swag always has the same theme, and others have others", () => {
  const bare = (name: string) => cardTheme({ name, background: null, theme: null });
  assert.deepEqual(bare("Open Bench"), bare("Open Bench"));
  const themes = new Set(
    Array.from({ length: 60 }, (_, at) => themeClass(bare(`Event number ${at}`))),
  );
  assert.ok(themes.size > 50, String(themes.size));
  const grounds = Array.from(
    { length: 60 },
    (_, at) => parseColor(bare(`Event number ${at}`).ground),
  );
  const lightnesses = grounds.map((paint) => paint && toOklch(paint.color).lightness.toFixed(1));
  assert.ok(new Set(lightnesses).size > 2, "deep, bright and pale ones");
});

Deno.test("colours are read as browsers read them", () => {
  const cases: [string, string | null, number?][] = [
    ["#abc", "#aabbcc"],
    ["#AABBCC80", "#aabbcc", 128 / 255],
    ["RebeccaPurple", "#663399"],
    [" navy ", "#000080"],
    ["rgb(255, 0, 0)", "#ff0000"],
    ["rgb(20% 40% 60%)", "#336699"],
    ["rgba(0 0 255 / 50%)", "#0000ff", 0.5],
    ["hsl(120, 100%, 25%)", "#008000"],
    ["hsl(0.5turn 100 50)", "#00ffff"],
    ["oklch(100% 0 0)", "#ffffff"],
    ["transparent", "#000000", 0],
    ["rgb(300 -5 0)", "#ff0000"],
    ["rgb(1 2)", null],
    ["#12345", null],
    ["calc(1)", null],
    ["rgb(1e999 0 0)", "#ff0000"],
    ["oklch(0.7 1e999 0)", "#ff5799"],
    ["constructor", null],
    ["red;", null],
  ];
  for (const [text, hex, alpha = 1] of cases) {
    const paint = parseColor(text);
    assert.equal(paint && toHex(paint.color), hex, text);
    if (paint) assert.ok(Math.abs(paint.alpha - alpha) < 0.01, text);
  }
});
