/** A drawing as an SVG file of our own. It holds numbers, colours and path data, so nothing in it can run or load. */

import { INKS, toHex } from "../theme/mod.ts";
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
  const define = (element: (id: string) => string) => {
    const id = `d${definitions.length}`;
    definitions.push(element(id));
    return `url(#${id})`;
  };
  const paths = drawing.shapes.map((shape) => writeShape(shape, define));
  const usesInk = definitions.concat(paths).some((text) => text.includes("currentColor"));
  const box = frame(drawing, isSquare, plate !== null);
  const { x, y, width, height } = box;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${list([x, y, width, height])}" ` +
    `width="${short(width)}" height="${short(height)}">`,
    ...usesInk ? [`<style>${inkRules(plate !== null)}</style>`] : [],
    ...definitions.length > 0 ? [`<defs>${definitions.join("")}</defs>`] : [],
    ...plate === null || !isSquare ? [] : [
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ` +
      `rx="${short(PLATE_RADIUS * width)}" fill="${plate}"/>`,
    ],
    ...paths,
    "</svg>\n",
  ].join("");
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

type Define = (element: (id: string) => string) => string;

function writeShape({ path, matrix, isEvenOdd, fill, stroke, clips }: LogoShape, define: Define) {
  const attributes = [
    `d="${path}"`,
    ...transformed("transform", matrix),
    ...isEvenOdd ? [`fill-rule="evenodd"`] : [],
    ...fill === null ? [`fill="none"`] : painted("fill", fill, define),
    ...stroke === null ? [] : [
      ...painted("stroke", stroke, define),
      `stroke-width="${short(stroke.width)}"`,
      `stroke-linecap="${stroke.cap}"`,
      `stroke-linejoin="${stroke.join}"`,
      `stroke-miterlimit="${short(stroke.miterLimit)}"`,
      ...stroke.dashes.length > 0 ? [`stroke-dasharray="${list(stroke.dashes)}"`] : [],
    ],
  ];
  return clips.reduceRight((inner, areas) => {
    const area = define((id) => {
      const outlines = areas.map((each) =>
        `<path ${
          [
            `d="${each.path}"`,
            ...transformed("transform", each.matrix),
            ...each.isEvenOdd ? [`clip-rule="evenodd"`] : [],
          ].join(" ")
        }/>`
      );
      return `<clipPath id="${id}">${outlines.join("")}</clipPath>`;
    });
    return `<g clip-path="${area}">${inner}</g>`;
  }, `<path ${attributes.join(" ")}/>`);
}

function painted(property: "fill" | "stroke", { source, alpha }: LogoPaint, define: Define) {
  const value = isGradient(source) ? define((id) => writeGradient(source, id)) : colored(source);
  return [`${property}="${value}"`, ...faded(`${property}-opacity`, alpha)];
}

function writeGradient(gradient: Gradient, id: string): string {
  const { from, to, radius, matrix, isInBox, spread, stops } = gradient;
  const [name, points] = radius === null
    ? ["linearGradient", { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }] as const
    : [
      "radialGradient",
      { fx: from[0], fy: from[1], cx: to[0], cy: to[1], r: radius },
    ] as const;
  const attributes = [
    `id="${id}"`,
    ...Object.entries(points).map(([point, value]) => `${point}="${short(value)}"`),
    ...isInBox ? [] : [`gradientUnits="userSpaceOnUse"`],
    ...spread === "pad" ? [] : [`spreadMethod="${spread}"`],
    ...transformed("gradientTransform", matrix),
  ];
  const colors = stops.map(({ at, color, alpha }) =>
    `<stop ${
      [`offset="${short(at)}"`, `stop-color="${colored(color)}"`, ...faded("stop-opacity", alpha)]
        .join(" ")
    }/>`
  );
  return `<${name} ${attributes.join(" ")}>${colors.join("")}</${name}>`;
}

function colored(color: Exclude<LogoPaint["source"], Gradient>): string {
  return color === "ink" ? "currentColor" : toHex(color);
}

function faded(attribute: string, alpha: number): string[] {
  return alpha === 1 ? [] : [`${attribute}="${short(alpha)}"`];
}

function transformed(attribute: string, matrix: Matrix): string[] {
  return list(matrix) === "1 0 0 1 0 0" ? [] : [`${attribute}="matrix(${list(matrix)})"`];
}

function list(numbers: readonly number[]): string {
  return numbers.map(short).join(" ");
}

/** Seven digits, as many as single precision has. */
function short(value: number): string {
  return String(Number(value.toPrecision(7)));
}
