/** The numbers in an SVG file: lengths, lists, transforms (SVG 2, section 4; CSS Transforms 1, section 8). */

import type { Matrix } from "../site/logo_shapes.ts";
import { LogoError } from "./svg_markup.ts";

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** The lengths to which percentages refer: the sides of the drawing, and their quadratic mean (SVG 2, section 8.9). */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly mean: number;
}

const NUMBER = /[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?/gi;
const LENGTH = /^([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?)(px|pt|pc|mm|cm|in|%)?$/i;
/** In CSS pixels. */
const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
};
/** A larger number is a mistake, and its square would leave the range of single precision. */
const LARGEST = 1e9;

/** A length in CSS pixels, a percentage as its share of `whole`; null if it is neither. */
export function readNumber(text: string | undefined, whole = 1): number | null {
  const [, digits, unit = "px"] = LENGTH.exec(text?.trim() ?? "") ?? [];
  if (digits === undefined) return null;
  const value = parseFloat(digits) * (unit === "%" ? whole / 100 : UNITS[unit.toLowerCase()] ?? 1);
  return Math.abs(value) <= LARGEST ? value : null;
}

/** The numbers of a list with any separators. */
export function readNumbers(text: string | undefined): number[] {
  return (text?.match(NUMBER) ?? []).map(parseFloat).filter((value) => Math.abs(value) <= LARGEST);
}

/** The product of two matrices, which applies `inner` first. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [p, q, r, s, t, u] = inner;
  return [
    a * p + c * q,
    b * p + d * q,
    a * r + c * s,
    b * r + d * s,
    a * t + c * u + e,
    b * t + d * u + f,
  ];
}

/** @throws {LogoError} if the text is not a `transform`. */
export function readTransform(text = ""): Matrix {
  let matrix = IDENTITY;
  let end = 0;
  const steps = text.matchAll(/\s*([a-zA-Z]+)\s*\(([^()]*)\)[\s,]*/gy);
  for (const [whole, name = "", list] of steps) {
    matrix = multiply(matrix, stepOf(name, readNumbers(list)));
    end += whole.length;
  }
  if (text.slice(end).trim() !== "") throw unreadable();
  return matrix;
}

function stepOf(name: string, numbers: readonly number[]): Matrix {
  const [first = 0, second, third = 0, d = 0, e = 0, f = 0] = numbers;
  const [sine, cosine] = [Math.sin(first * Math.PI / 180), Math.cos(first * Math.PI / 180)];
  switch (name) {
    case "matrix":
      if (numbers.length !== 6) throw unreadable();
      return [first, second ?? 0, third, d, e, f];
    case "translate":
      return [1, 0, 0, 1, first, second ?? 0];
    case "scale":
      return [first, 0, 0, second ?? first, 0, 0];
    case "rotate": {
      const turn: Matrix = [cosine, sine, -sine, cosine, 0, 0];
      const [x, y] = [second ?? 0, third];
      return multiply(multiply([1, 0, 0, 1, x, y], turn), [1, 0, 0, 1, -x, -y]);
    }
    case "skewX":
      return [1, 0, Math.tan(first * Math.PI / 180), 1, 0, 0];
    case "skewY":
      return [1, Math.tan(first * Math.PI / 180), 0, 1, 0, 0];
    default:
      throw unreadable();
  }
}

function unreadable(): LogoError {
  return new LogoError("has a transform that cannot be read");
}
