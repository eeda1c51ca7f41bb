/** A drawing as an SVG file of our own. It holds numbers, colours and path data, so nothing in it can run or load. */

import { INKS } from "../theme/card_style.ts";
import { toHex } from "../theme/color.ts";
import {
  type Gradient,
  isGradient,
  type LogoDrawing,
  type LogoPaint,
  type LogoShape,
  type Matrix,
} from "./logo_shapes.ts";

/** How a drawing is framed. */
interface Framing {
  /** Whether it stands in the middle of a square, as an icon does. */
  readonly isSquare: boolean;
  /** The colour of the plate on which it stands, `#rrggbb`; null for none. A square has it in its file. */
  readonly plate: string | null;
}

/** A square plate is larger than its drawing by this share of it, on each side. */
const PLATE_MARGIN = 0.16;
const PLATE_RADIUS = 0.22;

/** Writes a drawing. */
export function writeSvg(drawing: LogoDrawing, { isSquare, plate }: Framing): string {
  const definitions: string[] = [];
  const define: Define = (write) => {
    const id = `d${definitions.length}`;
    definitions.push(write(id));
    return `url(#${id})`;
  };
  const paths = drawing.shapes.map((shape) => writeShape(shape, define));
  const usesInk = definitions.concat(paths).some((text) => text.includes("currentColor"));
  const { x, y, width, height } = frame(drawing, isSquare, plate !== null);
  const parts = [
    usesInk ? element("style", {}, inkRules(plate !== null)) : "",
    definitions.length > 0 ? element("defs", {}, definitions.join("")) : "",
    plate === null || !isSquare
      ? ""
      : element("rect", { x, y, width, height, rx: PLATE_RADIUS * width, fill: plate }),
    ...paths,
  ];
  const svg = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: list([x, y, width, height]),
    width,
    height,
  };
  return `${element("svg", svg, parts.join(""))}\n`;
}

/** An element; an attribute that is null is left out. Values are numbers, or texts without special characters. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number | null>>,
  content: string | null = null,
): string {
  const start = Object.entries(attributes).filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? short(value) : value}"`)
    .join("");
  return content === null ? `<${name}${start}/>` : `<${name}${start}>${content}</${name}>`;
}

/** A drawing without a plate follows the scheme; the plates of drawings with ink are light. */
function inkRules(hasPlate: boolean): string {
  const rule = (color: string) => `svg{color:${color}}`;
  return hasPlate
    ? rule(INKS.light)
    : `${rule(INKS.light)}@media(prefers-color-scheme:dark){${rule(INKS.dark)}}`;
}

function frame({ x, y, width, height }: LogoDrawing, isSquare: boolean, hasPlate: boolean) {
  if (!isSquare) return { x, y, width, height };
  const side = Math.max(width, height) * (hasPlate ? 1 + 2 * PLATE_MARGIN : 1);
  return { x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side };
}

/** Adds a definition, and returns the reference to it. */
type Define = (write: (id: string) => string) => string;

function writeShape({ path, matrix, isEvenOdd, fill, stroke, clips }: LogoShape, define: Define) {
  const drawn = element("path", {
    d: path,
    transform: matrixText(matrix),
    "fill-rule": isEvenOdd ? "evenodd" : null,
    ...fill === null ? { fill: "none" } : painted("fill", fill, define),
    ...stroke && {
      ...painted("stroke", stroke, define),
      "stroke-width": stroke.width,
      "stroke-linecap": stroke.cap,
      "stroke-linejoin": stroke.join,
      "stroke-miterlimit": stroke.miterLimit,
      "stroke-dasharray": list(stroke.dashes) || null,
    },
  });
  return clips.reduceRight((inner, areas) => {
    const area = define((id) => {
      const outlines = areas.map(({ path, matrix, isEvenOdd }) =>
        element("path", {
          d: path,
          transform: matrixText(matrix),
          "clip-rule": isEvenOdd ? "evenodd" : null,
        })
      );
      return element("clipPath", { id }, outlines.join(""));
    });
    return element("g", { "clip-path": area }, inner);
  }, drawn);
}

function painted(property: "fill" | "stroke", { source, alpha }: LogoPaint, define: Define) {
  const value = isGradient(source) ? define((id) => writeGradient(source, id)) : colored(source);
  return { [property]: value, [`${property}-opacity`]: alpha === 1 ? null : alpha };
}

function writeGradient(gradient: Gradient, id: string): string {
  const { from: [x1, y1], to: [x2, y2], radius, matrix, isInBox, spread, stops } = gradient;
  const colors = stops.map(({ at, color, alpha }) =>
    element("stop", {
      offset: at,
      "stop-color": colored(color),
      "stop-opacity": alpha === 1 ? null : alpha,
    })
  );
  const attributes = {
    id,
    ...radius === null ? { x1, y1, x2, y2 } : { fx: x1, fy: y1, cx: x2, cy: y2, r: radius },
    gradientUnits: isInBox ? null : "userSpaceOnUse",
    spreadMethod: spread === "pad" ? null : spread,
    gradientTransform: matrixText(matrix),
  };
  return element(
    radius === null ? "linearGradient" : "radialGradient",
    attributes,
    colors.join(""),
  );
}

function colored(color: Exclude<LogoPaint["source"], Gradient>): string {
  return color === "ink" ? "currentColor" : toHex(color);
}

/** Null for the matrix that changes nothing. */
function matrixText(matrix: Matrix): string | null {
  const numbers = list(matrix);
  return numbers === "1 0 0 1 0 0" ? null : `matrix(${numbers})`;
}

function list(numbers: readonly number[]): string {
  return numbers.map(short).join(" ");
}

/** Seven digits, as many as single precision has. */
function short(value: number): string {
  return String(Number(value.toPrecision(7)));
}
