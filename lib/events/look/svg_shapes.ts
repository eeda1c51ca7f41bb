/**
 * An SVG file as a list of painted paths. An element that cannot be expressed as painted paths is refused by its name;
 * one that draws nothing is dropped.
 */

import type { LogoDrawing, LogoShape, Matrix } from "../site/logo_shapes.ts";
import { LogoError, type Markup, readMarkup } from "./svg_markup.ts";
import { IDENTITY, multiply, readNumber, readNumbers, readTransform } from "./svg_numbers.ts";
import { outlineOf } from "./svg_outline.ts";
import { MAX_DEPTH, paintOf, referred, shareOf, strokeOf, type SvgFile } from "./svg_paint.ts";
import { type Properties, readStyles } from "./svg_style.ts";

/** Elements that draw nothing: text about the file, scripts, animations, and definitions that only others refer to. */
const SILENT = new Set([
  ...["title", "desc", "metadata", "style", "script", "defs", "clipPath", "mask", "filter", "view"],
  ...["linearGradient", "radialGradient", "stop"],
  ...["animate", "animateTransform", "animateMotion", "animateColor", "set"],
]);
/** Elements that only contain others. A link's address is dropped. */
const GROUPS = new Set(["svg", "g", "a"]);
/** The largest number of shapes: `<use>` could repeat shapes without end. */
const MAX_SHAPES = 2_000;
const MAX_PATH_LENGTH = 400_000;

/** The place and the style in which an element is drawn. */
interface Place {
  readonly matrix: Matrix;
  readonly style: Properties;
  readonly opacity: number;
  readonly clips: LogoShape["clips"];
  readonly depth: number;
}

/**
 * Reads an SVG file.
 *
 * @throws {LogoError} naming its fault, or the part that cannot be drawn.
 */
export function readSvg(source: string): LogoDrawing {
  const root = readMarkup(source);
  const size = sizeOf(root);
  const { width, height } = size;
  const file: SvgFile = {
    view: { width, height, mean: Math.hypot(width, height) / Math.SQRT2 },
    byId: new Map(idsIn(root)),
    styleOf: readStyles(root),
    drawn: { length: 0 },
  };
  const shapes: LogoShape[] = [];
  const start: Place = { matrix: IDENTITY, style: {}, opacity: 1, clips: [], depth: 0 };
  draw(root, start, file, shapes);
  if (shapes.length === 0) throw new LogoError("draws nothing");
  return { ...size, shapes };
}

function sizeOf({ attributes }: Markup): Omit<LogoDrawing, "shapes"> {
  const [x = 0, y = 0, ...sides] = readNumbers(attributes.get("viewBox"));
  const [width = 0, height = 0] = sides.length === 2
    ? sides
    : ["width", "height"].map((side) => readNumber(attributes.get(side), 0) ?? 0);
  if (width <= 0 || height <= 0) throw new LogoError("has neither a viewBox nor a size");
  return sides.length === 2 ? { x, y, width, height } : { x: 0, y: 0, width, height };
}

function* idsIn(element: Markup): Generator<[string, Markup]> {
  const id = element.attributes.get("id");
  if (id !== undefined) yield [id, element];
  for (const child of element.children) yield* idsIn(child);
}

function draw(element: Markup, place: Place, file: SvgFile, shapes: LogoShape[]): void {
  const { name, attributes } = element;
  if (SILENT.has(name) || name.includes(":")) return;
  const style = file.styleOf(element, place.style);
  if (style["display"] === "none") return;
  if ((style["filter"] ?? "none") !== "none") throw new LogoError("has a filter");
  const matrix = multiply(place.matrix, ownMatrix(element, file));
  const opacity = place.opacity * shareOf(style["opacity"]);
  const { "clip-path": clip = "none", mask = "none" } = style;
  const clips = [
    ...place.clips,
    ...clip === "none" ? [] : [clipOf(clip, matrix, file)],
    ...mask === "none" ? [] : [maskOf(mask, matrix, file)],
  ];
  const inner: Place = { matrix, style, opacity, clips, depth: place.depth + 1 };
  if (inner.depth > MAX_DEPTH) throw new LogoError("uses itself");
  if (name === "use") {
    draw(referred(attributes.get("href"), file), inner, file, shapes);
    return;
  }
  if (GROUPS.has(name)) {
    if (name === "svg" && place.depth > 0) throw new LogoError("has an <svg> within its <svg>");
    for (const child of element.children) draw(child, inner, file, shapes);
    return;
  }
  const path = outlineOf(element, file.view);
  const remedy = name === "text" ? "; turn it into paths" : "";
  if (path === null) throw new LogoError(`has a <${name}>${remedy}`);
  if (path === "" || /^(?:hidden|collapse)$/.test(style["visibility"] ?? "")) return;
  const fill = paintOf("fill", style, opacity, file);
  const stroke = strokeOf(style, opacity, file);
  if (fill === null && stroke === null) return;
  file.drawn.length += [{ path }, ...clips.flat()].reduce((sum, each) => sum + each.path.length, 0);
  if (shapes.length >= MAX_SHAPES) throw new LogoError(`has more than ${MAX_SHAPES} shapes`);
  if (file.drawn.length > MAX_PATH_LENGTH) throw new LogoError("repeats its parts too often");
  shapes.push({ path, matrix, isEvenOdd: style["fill-rule"] === "evenodd", fill, stroke, clips });
}

/** Where an element's own coordinates are: a `<use>` is moved by its `x` and `y` too. */
function ownMatrix({ name, attributes }: Markup, { view }: SvgFile): Matrix {
  const matrix = readTransform(attributes.get("transform"));
  if (name !== "use") return matrix;
  const x = readNumber(attributes.get("x"), view.width) ?? 0;
  const y = readNumber(attributes.get("y"), view.height) ?? 0;
  return multiply(matrix, [1, 0, 0, 1, x, y]);
}

function clipOf(reference: string, matrix: Matrix, file: SvgFile): LogoShape["clips"][number] {
  const area = referred(reference, file);
  const isPlain = area.name === "clipPath" &&
    area.attributes.get("clipPathUnits") !== "objectBoundingBox";
  if (!isPlain) throw new LogoError("has a clip-path of an unusual kind");
  const base = multiply(matrix, readTransform(area.attributes.get("transform")));
  return outlinesIn(area, base, file);
}

/** A mask as an area. Drawing programs write white masks for it; what fades or is cut out cannot be drawn. */
function maskOf(reference: string, matrix: Matrix, file: SvgFile): LogoShape["clips"][number] {
  const mask = referred(reference, file);
  const own = file.styleOf(mask, {});
  const isWhite = mask.name === "mask" && mask.children.every((child) => {
    const style = file.styleOf(child, own);
    return SILENT.has(child.name) || /^(?:white|#fff(?:fff)?)$/i.test(style["fill"] ?? "") &&
        (style["stroke"] ?? "none") === "none" &&
        ["opacity", "fill-opacity"].every((name) => shareOf(style[name]) === 1);
  });
  const isPlain = isWhite && mask.attributes.get("maskContentUnits") !== "objectBoundingBox";
  if (!isPlain) throw new LogoError("has a mask that is not all white");
  return outlinesIn(mask, matrix, file);
}

function outlinesIn(area: Markup, base: Matrix, file: SvgFile): LogoShape["clips"][number] {
  return area.children.flatMap((child) => {
    if (SILENT.has(child.name)) return [];
    const isUse = child.name === "use";
    const shape = isUse ? referred(child.attributes.get("href"), file) : child;
    const path = outlineOf(shape, file.view);
    if (path === null) throw new LogoError(`has a <${shape.name}> within a <${area.name}>`);
    const rule = area.name === "mask" ? "fill-rule" : "clip-rule";
    const isEvenOdd = file.styleOf(shape, {})[rule] === "evenodd";
    const own = ownMatrix(shape, file);
    const step = isUse ? multiply(ownMatrix(child, file), own) : own;
    return path === "" ? [] : [{ path, isEvenOdd, matrix: multiply(base, step) }];
  });
}
