/** Draws the site's logo, from its paths or from its image; in the picture process only. */

import type { Color, Image, Paint, Path, Shader } from "canvaskit-wasm";
import {
  type Gradient,
  isGradient,
  type LogoColor,
  type LogoDrawing,
  type LogoPaint,
  type LogoShape,
  type LogoStroke,
  type Matrix,
} from "../site/logo_shapes.ts";
import { INKS } from "../theme/card_style.ts";
import { drawImage, type Easel } from "./easel.ts";

/** A logo; without a drawing its image comes as a file. */
export interface LogoToDraw {
  readonly width: number;
  readonly height: number;
  readonly isWordmark: boolean;
  readonly drawing: LogoDrawing | null;
}

/** Draws a logo, from its drawing or else its image, into a place of the same ratio. */
export function drawLogo(
  easel: Easel,
  { drawing }: Pick<LogoToDraw, "drawing">,
  image: Image | null,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): void {
  const { canvas } = easel;
  if (drawing === null) {
    if (image !== null) drawImage(easel, image, x, y, width / image.width());
    return;
  }
  canvas.save();
  canvas.translate(x, y);
  const scale = width / drawing.width;
  canvas.scale(scale, scale);
  canvas.translate(-drawing.x, -drawing.y);
  const { skia } = easel;
  const edge = skia.XYWHRect(drawing.x, drawing.y, drawing.width, drawing.height);
  canvas.clipRect(edge, skia.ClipOp.Intersect, true);
  for (const shape of drawing.shapes) drawShape(easel, shape);
  canvas.restore();
}

function drawShape(easel: Easel, shape: LogoShape): void {
  const { skia, canvas } = easel;
  const path = pathOf(easel, shape);
  // Browsers draw a malformed path up to its first error; Skia rejects the whole path.
  if (path === null) return;
  canvas.save();
  for (const clip of shape.clips) {
    const area = clip.map((each) => placed(easel, pathOf(easel, each), each.matrix))
      .reduce((one, other) => united(easel, one, other), null);
    if (area !== null) canvas.clipPath(area, skia.ClipOp.Intersect, true);
    else canvas.clipRect(skia.XYWHRect(0, 0, 0, 0), skia.ClipOp.Intersect, true);
  }
  canvas.concat(matrixOf(shape.matrix));
  const { fill, stroke } = shape;
  if (fill !== null) canvas.drawPath(path, paintOf(easel, fill, path));
  if (stroke !== null) {
    const paint = paintOf(easel, stroke, path);
    setStroke(easel, paint, stroke);
    canvas.drawPath(path, paint);
  }
  canvas.restore();
}

function pathOf(
  { skia, own }: Easel,
  { path, isEvenOdd }: Pick<LogoShape, "path" | "isEvenOdd">,
): Path | null {
  const made = skia.Path.MakeFromSVGString(path);
  if (made === null) return null;
  if (isEvenOdd) made.setFillType(skia.FillType.EvenOdd);
  return own(made);
}

function placed({ skia, own }: Easel, path: Path | null, matrix: Matrix): Path | null {
  if (path === null) return null;
  const moved = own(own(new skia.PathBuilder(path)).transform(matrixOf(matrix)).detach());
  moved.setFillType(path.getFillType());
  return moved;
}

function united({ skia, own }: Easel, one: Path | null, other: Path | null): Path | null {
  if (one === null || other === null) return one ?? other;
  const both = skia.Path.MakeFromOp(one, other, skia.PathOp.Union);
  return both && own(both);
}

function paintOf(easel: Easel, { source, alpha }: LogoPaint, path: Path): Paint {
  const { skia, own } = easel;
  const paint = own(new skia.Paint());
  paint.setAntiAlias(true);
  if (isGradient(source)) {
    paint.setShader(shaderOf(easel, source, path));
    paint.setAlphaf(alpha);
  } else paint.setColor(colorOf(easel, source, alpha));
  return paint;
}

function setStroke({ skia, own }: Easel, paint: Paint, stroke: LogoStroke): void {
  const { StrokeCap, StrokeJoin } = skia;
  paint.setStyle(skia.PaintStyle.Stroke);
  paint.setStrokeWidth(stroke.width);
  const caps = { butt: StrokeCap.Butt, round: StrokeCap.Round, square: StrokeCap.Square };
  const joins = { miter: StrokeJoin.Miter, round: StrokeJoin.Round, bevel: StrokeJoin.Bevel };
  paint.setStrokeCap(caps[stroke.cap]);
  paint.setStrokeJoin(joins[stroke.join]);
  paint.setStrokeMiter(stroke.miterLimit);
  if (stroke.dashes.length > 0) {
    paint.setPathEffect(own(skia.PathEffect.MakeDash([...stroke.dashes])));
  }
}

function shaderOf(easel: Easel, gradient: Gradient, path: Path): Shader {
  const { skia, own } = easel;
  const { radius, isInBox, spread } = gradient;
  const [from, to] = [[...gradient.from], [...gradient.to]];
  const colors = gradient.stops.map(({ color, alpha }) => colorOf(easel, color, alpha));
  const places = gradient.stops.map(({ at }) => at);
  const { Clamp, Mirror, Repeat } = skia.TileMode;
  const mode = { pad: Clamp, reflect: Mirror, repeat: Repeat }[spread];
  const turned = matrixOf(gradient.matrix);
  const [left = 0, top = 0, right = 0, bottom = 0] = path.computeTightBounds();
  const box = [right - left, 0, left, 0, bottom - top, top, 0, 0, 1];
  const matrix = isInBox ? skia.Matrix.multiply(box, turned) : turned;
  const { Shader } = skia;
  return own(
    radius === null
      ? Shader.MakeLinearGradient(from, to, colors, places, mode, matrix)
      : Shader.MakeTwoPointConicalGradient(from, 0, to, radius, colors, places, mode, matrix),
  );
}

/** The colour of text is dark: a drawing that has it stands on a light ground. */
function colorOf({ skia }: Easel, color: LogoColor, alpha: number): Color {
  if (color === "ink") {
    return Float32Array.of(...skia.parseColorString(INKS.light).slice(0, 3), alpha);
  }
  const [red, green, blue] = color;
  return skia.Color4f(red / 255, green / 255, blue / 255, alpha);
}

/** In the order of Skia: row by row. */
function matrixOf([a, b, c, d, e, f]: Matrix): number[] {
  return [a, c, e, b, d, f, 0, 0, 1];
}
