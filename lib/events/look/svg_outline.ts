/** The outlines of SVG's shapes as path data (SVG 2, section 10). */

import type { Markup } from "./svg_markup.ts";
import { readNumber, readNumbers, type View } from "./svg_numbers.ts";

/** Letters, numbers and separators. */
const PATH = /^\s*[Mm][MmZzLlHhVvCcSsQqTtAaeE\d\s,.+-]*$/;

/** Which side a percentage of a length refers to; of a radius it is the mean of both. */
const SIDES: Readonly<Record<string, keyof View>> = {
  ...{ x: "width", x1: "width", x2: "width", cx: "width", rx: "width", width: "width" },
  ...{ y: "height", y1: "height", y2: "height", cy: "height", ry: "height", height: "height" },
  r: "mean",
};

/** A shape's path data; null if the element is not a shape, "" for a shape that draws nothing. */
export function outlineOf({ name, attributes }: Markup, view: View): string | null {
  const given = (attribute: string) =>
    readNumber(attributes.get(attribute), view[SIDES[attribute] ?? "mean"]);
  const number = (attribute: string) => given(attribute) ?? 0;
  switch (name) {
    case "path": {
      const data = attributes.get("d") ?? "";
      return PATH.test(data) ? data.replaceAll(/\s+/g, " ").trim() : "";
    }
    case "rect":
      return rectangle(given);
    case "circle":
      return oval(number("cx"), number("cy"), number("r"), number("r"));
    case "ellipse":
      return oval(number("cx"), number("cy"), number("rx"), number("ry"));
    case "line":
      return `M${number("x1")} ${number("y1")}L${number("x2")} ${number("y2")}`;
    case "polyline":
    case "polygon": {
      const numbers = readNumbers(attributes.get("points"));
      if (numbers.length < 4) return "";
      const points = numbers.slice(0, numbers.length - numbers.length % 2).join(" ");
      return `M${points}${name === "polygon" ? "Z" : ""}`;
    }
    default:
      return null;
  }
}

function oval(x: number, y: number, rx: number, ry: number): string {
  if (rx <= 0 || ry <= 0) return "";
  const half = (way: number) => `a${rx} ${ry} 0 1 0 ${way * 2 * rx} 0`;
  return `M${x - rx} ${y}${half(1)}${half(-1)}Z`;
}

function rectangle(number: (attribute: string) => number | null): string {
  const [x, y] = [number("x") ?? 0, number("y") ?? 0];
  const [width, height] = [number("width") ?? 0, number("height") ?? 0];
  if (width <= 0 || height <= 0) return "";
  const rx = Math.min(number("rx") ?? number("ry") ?? 0, width / 2);
  const ry = Math.min(number("ry") ?? number("rx") ?? 0, height / 2);
  if (rx <= 0 || ry <= 0) return `M${x} ${y}h${width}v${height}h${-width}Z`;
  const [w, h] = [width - 2 * rx, height - 2 * ry];
  const corner = (dx: number, dy: number) => `a${rx} ${ry} 0 0 1 ${dx} ${dy}`;
  return `M${x + rx} ${y}h${w}${corner(rx, ry)}v${h}${corner(-rx, ry)}h${-w}${corner(-rx, -ry)}` +
    `v${-h}${corner(rx, -ry)}Z`;
}
