/** The paints of an SVG file's shapes: colours, gradients, lines (SVG 2, sections 13 and 14). */

import type { Gradient, LogoColor, LogoPaint, LogoStroke } from "../site/logo_shapes.ts";
import { clamp, parseColor } from "../theme/color.ts";
import { LogoError, type Markup } from "./svg_markup.ts";
import { readNumber, readNumbers, readTransform, type View } from "./svg_numbers.ts";
import type { Properties, StyleOf } from "./svg_style.ts";

/** A longer chain of references is taken for a cycle. */
export const MAX_DEPTH = 100;

/** A file, as its elements refer to it. */
export interface SvgFile {
  readonly view: View;
  readonly byId: ReadonlyMap<string, Markup>;
  readonly styleOf: StyleOf;
  /** How much was drawn, in characters of path data. */
  readonly drawn: { length: number };
}

/** A number from 0 to 1; 1 if there is none. */
export function shareOf(text: string | undefined): number {
  return clamp(readNumber(text) ?? 1, 0, 1);
}

/**
 * The element that `#id` or `url(#id)` names.
 *
 * @throws {LogoError} if there is none.
 */
export function referred(reference = "", { byId }: SvgFile): Markup {
  const [, id = ""] = /^(?:url\(\s*["']?)?#([^"')\s]+)["']?(?:\s*\).*)?$/.exec(reference.trim()) ??
    [];
  const element = byId.get(id);
  if (element === undefined) throw new LogoError("refers to an element that is not in the file");
  return element;
}

/** The paint of a fill or a stroke; null if it paints nothing. */
export function paintOf(
  property: "fill" | "stroke",
  style: Properties,
  opacity: number,
  file: SvgFile,
): LogoPaint | null {
  const typed = style[property] ?? (property === "fill" ? "#000" : "none");
  const alpha = opacity * shareOf(style[`${property}-opacity`]);
  if (typed === "none" || alpha === 0) return null;
  if (typed.startsWith("url(")) {
    const source = gradientOf(referred(typed, file), file);
    return source.stops.length === 0 ? null : { source, alpha };
  }
  const { color, alpha: own } = colorOf(typed);
  return own === 0 ? null : { source: color, alpha: alpha * own };
}

function colorOf(typed: string): { color: LogoColor; alpha: number } {
  if (/^currentcolor$/i.test(typed)) return { color: "ink", alpha: 1 };
  const paint = parseColor(typed);
  if (paint === null) {
    throw new LogoError(`has a colour that cannot be read, ${JSON.stringify(typed.slice(0, 40))}`);
  }
  return paint;
}

/** The line along a path; null if it has none. */
export function strokeOf(style: Properties, opacity: number, file: SvgFile): LogoStroke | null {
  const paint = paintOf("stroke", style, opacity, file);
  const width = readNumber(style["stroke-width"]) ?? 1;
  if (paint === null || width <= 0) return null;
  const dashes = readNumbers(style["stroke-dasharray"]);
  const isDashed = dashes.some((length) => length > 0) && dashes.every((length) => length >= 0);
  return {
    ...paint,
    width,
    cap: oneOf(style["stroke-linecap"], ["butt", "round", "square"]),
    join: oneOf(style["stroke-linejoin"], ["miter", "round", "bevel"]),
    miterLimit: Math.max(1, readNumber(style["stroke-miterlimit"]) ?? 4),
    // An odd list is repeated.
    dashes: !isDashed ? [] : dashes.length % 2 === 0 ? dashes : [...dashes, ...dashes],
  };
}

/** The word among the choices, or else the first of them. */
function oneOf<T extends string>(typed: string | undefined, choices: readonly [T, ...T[]]): T {
  return choices.find((choice) => choice === typed) ?? choices[0];
}

/** A gradient, whose attributes and stops may be those of another one that it refers to (SVG 2, section 14.2). */
function gradientOf(element: Markup, file: SvgFile): Gradient {
  const chain = [...referredGradients(element, file)];
  const given = (name: string) =>
    chain.find(({ attributes }) => attributes.has(name))?.attributes.get(name);
  const isInBox = given("gradientUnits") !== "userSpaceOnUse";
  const number = (name: string, usual: string, side: keyof View) =>
    readNumber(given(name) ?? usual, isInBox ? 1 : file.view[side]) ?? 0;
  const [cx, cy] = [number("cx", "50%", "width"), number("cy", "50%", "height")];
  const place = element.name === "radialGradient"
    ? {
      from: [number("fx", String(cx), "width"), number("fy", String(cy), "height")] as const,
      to: [cx, cy] as const,
      radius: number("r", "50%", "mean"),
    }
    : {
      from: [number("x1", "0", "width"), number("y1", "0", "height")] as const,
      to: [number("x2", "100%", "width"), number("y2", "0", "height")] as const,
      radius: null,
    };
  return {
    ...place,
    matrix: readTransform(given("gradientTransform")),
    isInBox,
    spread: oneOf(given("spreadMethod"), ["pad", "reflect", "repeat"]),
    stops: chain.map((each) => stopsOf(each, file)).find(({ length }) => length > 0) ?? [],
  };
}

/** A gradient and those that it refers to. */
function* referredGradients(element: Markup, file: SvgFile): Generator<Markup> {
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    if (!/^(?:linear|radial)Gradient$/.test(element.name)) {
      throw new LogoError(`has a <${element.name}>`);
    }
    yield element;
    const href = element.attributes.get("href");
    if (href === undefined) return;
    element = referred(href, file);
  }
  throw new LogoError("uses itself");
}

function stopsOf({ children }: Markup, file: SvgFile): Gradient["stops"] {
  return children.filter(({ name }) => name === "stop").map((stop) => {
    const style = file.styleOf(stop, {});
    const { color, alpha } = colorOf(style["stop-color"] ?? "#000");
    const at = clamp(readNumber(stop.attributes.get("offset")) ?? 0, 0, 1);
    return { at, color, alpha: alpha * shareOf(style["stop-opacity"]) };
  });
}
