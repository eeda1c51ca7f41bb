/** The drawing of a logo: painted paths, in the order of drawing. Only numbers of the file are left. */

import type { Color } from "../theme/color.ts";

/** `a b c d e f` of SVG's `matrix()`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Path data of SVG: letters and numbers only. */
interface Outline {
  readonly path: string;
  readonly matrix: Matrix;
  readonly isEvenOdd: boolean;
}

/** A colour of a gradient, at a share of its length. */
interface GradientStop {
  readonly at: number;
  readonly color: LogoColor;
  readonly alpha: number;
}

/** `ink` is the colour of text, which depends on the scheme. */
export type LogoColor = Color | "ink";

/** A gradient; `circle` if it is radial. */
export interface Gradient {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  /** The radius around `to`, whose gradient begins at `from`; null for a linear one. */
  readonly radius: number | null;
  readonly matrix: Matrix;
  /** Whether its numbers are shares of the box around the path. */
  readonly isInBox: boolean;
  readonly spread: "pad" | "reflect" | "repeat";
  readonly stops: readonly GradientStop[];
}

/** The paint of a path's area or line. */
export interface LogoPaint {
  readonly source: LogoColor | Gradient;
  readonly alpha: number;
}

/** Whether a paint is a gradient, and not one colour. */
export function isGradient(source: LogoPaint["source"]): source is Gradient {
  return typeof source === "object" && "stops" in source;
}

/** A line along a path. */
export interface LogoStroke extends LogoPaint {
  readonly width: number;
  readonly cap: "butt" | "round" | "square";
  readonly join: "miter" | "round" | "bevel";
  readonly miterLimit: number;
  /** An even number of lengths; empty for a line without gaps. */
  readonly dashes: readonly number[];
}

/** A painted path. */
export interface LogoShape extends Outline {
  readonly fill: LogoPaint | null;
  readonly stroke: LogoStroke | null;
  /** It shows only within every one of these areas, each the union of its outlines. */
  readonly clips: readonly (readonly Outline[])[];
}

/** A drawing, and the part of the plane that it shows. */
export interface LogoDrawing {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly LogoShape[];
}

/** The site's logo, an open door: SVG paths in a square of 24. */
export const SITE_LOGO = {
  frame: "M4 22V11a8 8 0 0 1 16 0v11Z",
  /** The light in the doorway, in the colour of the ground. */
  light: "M9 22V11.5a5.5 5.5 0 0 1 6-5.4V22Z",
} as const;
