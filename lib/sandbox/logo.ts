// Logos: a geometric mark in a palette's colours on transparent ground. A mark is a list of shapes, painted in order; a
// shape is the signed distance of a point to its edge (negative inside), in a square that reaches from -1 to 1.

import { mix, parseHex, type Rgb } from "./color.ts";
import type { Palette } from "./palettes.ts";
import type { TrueColorImage } from "./png.ts";
import { createRandom, type Random } from "./random.ts";

type Distance = (x: number, y: number) => number;

interface Shape {
  readonly color: Rgb;
  readonly opacity?: number;
  readonly distance: Distance;
}

/** The three colours of a mark: all of them stand out from the palette's background. */
interface Inks {
  readonly main: Rgb;
  readonly second: Rgb;
  readonly third: Rgb;
}

type Mark = (random: Random, inks: Inks) => readonly Shape[];

const MARKS: readonly Mark[] = [
  petals,
  orbit,
  quarters,
  horizon,
  hexagon,
  bars,
  sun,
  link,
];

/** Draws the logo that belongs to `seed` in the colours of `palette`. */
export function drawLogo(
  seed: string,
  palette: Palette,
  width: number,
  height: number,
): TrueColorImage {
  const random = createRandom(seed);
  const main = parseHex(palette.accent);
  const text = parseHex(palette.text);
  const shapes = random.pick(MARKS)(random, { main, second: text, third: mix(main, text, 0.45) });

  const rgba = new Uint8Array(width * height * 4);
  for (const shape of shapes) paint(rgba, shape, width, height);
  return { width, height, rgba };
}

/** Side of the squares, in pixels, that are decided as a whole where no edge is near. */
const BLOCK = 16;

/**
 * Paints a shape over the existing pixels, with edges softened over one pixel. Distances are computed pixel by pixel
 * only where the middle of a block is near an edge; a quarter more than the block's half diagonal allows for those of
 * the marks' distances that are not quite exact.
 */
function paint(rgba: Uint8Array, shape: Shape, width: number, height: number): void {
  const { distance, opacity = 1 } = shape;
  const half = width / 2;
  const far = (BLOCK / Math.SQRT2) * 1.25 + 1;
  const inPixels = (column: number, row: number) =>
    distance(column / half - 1, row / (height / 2) - 1) * half;

  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      const middle = inPixels(left + BLOCK / 2, top + BLOCK / 2);
      if (middle > far) continue;
      for (let row = top; row < Math.min(top + BLOCK, height); row++) {
        for (let column = left; column < Math.min(left + BLOCK, width); column++) {
          const edge = middle < -far ? middle : inPixels(column + 0.5, row + 0.5);
          const alpha = Math.min(1, Math.max(0, 0.5 - edge)) * opacity;
          if (alpha > 0) blend(rgba, (row * width + column) * 4, shape.color, alpha);
        }
      }
    }
  }
}

/** Paints one pixel of a colour over the existing one, alpha included. */
function blend(rgba: Uint8Array, at: number, color: Rgb, alpha: number): void {
  const below = (rgba[at + 3] ?? 0) / 255 * (1 - alpha);
  const total = alpha + below;
  rgba[at] = ((rgba[at] ?? 0) * below + color[0] * alpha) / total;
  rgba[at + 1] = ((rgba[at + 1] ?? 0) * below + color[1] * alpha) / total;
  rgba[at + 2] = ((rgba[at + 2] ?? 0) * below + color[2] * alpha) / total;
  rgba[at + 3] = Math.round(total * 255);
}

/** Circles around the middle, overlapping. */
function petals(random: Random, { main, second, third }: Inks): Shape[] {
  const count = random.int(5, 9);
  const start = random.next() * Math.PI;
  const reach = 0.5;
  const shapes = Array.from({ length: count }, (_, i): Shape => {
    const angle = start + i / count * 2 * Math.PI;
    return {
      color: i % 2 === 0 ? main : third,
      opacity: 0.72,
      distance: circle(Math.cos(angle) * reach, Math.sin(angle) * reach, 0.36),
    };
  });
  return [...shapes, { color: second, distance: circle(0, 0, 0.2) }];
}

/** A planet, its ring and a moon. */
function orbit(random: Random, { main, second, third }: Inks): Shape[] {
  const { along, away } = axes(random.next() * Math.PI);
  const moon = random.next() * 2 * Math.PI;
  const ring: Distance = (x, y) =>
    Math.abs(length(along(x, y) * 0.92, away(x, y) * 2.3) - 0.82) * 0.55 - 0.045;
  return [
    { color: main, distance: circle(0, 0, 0.5) },
    { color: third, distance: cut(circle(0, 0, 0.5), circle(-0.16, -0.16, 0.46)) },
    { color: second, distance: ring },
    { color: second, distance: circle(Math.cos(moon) * 0.8, Math.sin(moon) * 0.8, 0.13) },
  ];
}

/** Nine tiles of squares, discs and quarter circles, alike on both sides of the middle. */
function quarters(random: Random, { main, second, third }: Inks): Shape[] {
  const size = 0.6;
  const shapes: Shape[] = [];
  for (const row of [-1, 0, 1]) {
    for (const column of [-1, 0]) {
      const color = random.pick([main, main, third, second]);
      const kind = random.int(0, 4);
      const cornerY = random.pick([-0.5, 0.5]);
      for (const side of column === 0 ? [0] : [-1, 1]) {
        const x = side * size;
        const y = row * size;
        const tile = box(x, y, size * 0.48, size * 0.48);
        const quarter = circle(x - side * size / 2, y + cornerY * size, size * 0.96);
        const distance = kind === 0
          ? circle(x, y, size * 0.46)
          : kind === 1 || side === 0
          ? tile
          : both(tile, quarter);
        shapes.push({ color, distance });
      }
    }
  }
  return shapes;
}

/** Peaks and a sun inside a disc. */
function horizon(random: Random, { main, second, third }: Inks): Shape[] {
  const disc = circle(0, 0, 0.92);
  const left = -0.35 - random.next() * 0.2;
  const right = 0.3 + random.next() * 0.2;
  const peak = (x: number, top: number): Distance => (px, py) =>
    Math.max((Math.abs(px - x) * 1.15 - (py - top)) * 0.656, py - 0.95);
  return [
    { color: main, distance: disc },
    { color: second, distance: circle(random.next() * 0.5 - 0.25, -0.42, 0.19) },
    { color: third, distance: both(disc, peak(right, -0.2)) },
    { color: second, distance: both(disc, peak(left, 0.05)) },
  ];
}

/** A hexagon with a smaller one, or a star of bars, taken out. */
function hexagon(random: Random, { main, second, third }: Inks): Shape[] {
  const outer = regular(6, 0.8, Math.PI / 6);
  const inner = regular(6, 0.5, Math.PI / 6 + random.pick([0, Math.PI / 6]));
  const core = random.chance(0.5) ? circle(0, 0, 0.26) : regular(6, 0.25, 0);
  const half: Distance = random.chance(0.5) ? (x) => -x : (x, y) => (y - x) * 0.707;
  return [
    { color: main, distance: cut(outer, inner) },
    { color: third, distance: both(cut(outer, inner), half) },
    { color: second, distance: core },
  ];
}

/** A disc of slanted bars of falling thickness. */
function bars(random: Random, { main, second, third }: Inks): Shape[] {
  const disc = circle(0, 0, 0.9);
  const { away } = axes(random.pick([0, Math.PI / 4, -Math.PI / 4, Math.PI / 2]));
  const count = random.int(4, 6);
  const step = 1.9 / count;
  const shapes = Array.from({ length: count }, (_, i): Shape => {
    const middle = -0.95 + (i + 0.5) * step;
    const thickness = step * (0.48 - 0.34 * i / count);
    const bar: Distance = (x, y) => Math.abs(away(x, y) - middle) - thickness;
    return { color: i % 3 === 2 ? third : main, distance: both(disc, bar) };
  });
  return [...shapes, { color: second, distance: circle(0.42, -0.42, 0.22) }];
}

/** A disc with rays. */
function sun(random: Random, { main, second, third }: Inks): Shape[] {
  const count = random.pick([8, 10, 12, 16]);
  const slice = 2 * Math.PI / count;
  const turned = random.next() * slice;
  const rays: Distance = (x, y) => {
    const angle = Math.atan2(y, x) + turned;
    const folded = angle - Math.round(angle / slice) * slice;
    const radius = length(x, y);
    const along = radius * Math.cos(folded);
    const away = Math.abs(radius * Math.sin(folded));
    return Math.max(length(Math.max(0.58 - along, along - 0.84, 0), away) - 0.075, -1);
  };
  return [
    { color: third, distance: rays },
    { color: main, distance: circle(0, 0, 0.44) },
    { color: second, distance: cut(circle(0, 0, 0.44), circle(0.12, -0.12, 0.42)) },
  ];
}

/** Two rings through each other. */
function link(random: Random, { main, second, third }: Inks): Shape[] {
  const tilt = random.pick([0, Math.PI / 4, Math.PI / 2, -Math.PI / 4]);
  const at: [number, number] = [Math.cos(tilt) * 0.34, Math.sin(tilt) * 0.34];
  const ring = (x: number, y: number): Distance => (px, py) =>
    Math.abs(length(px - x, py - y) - 0.44) - 0.13;
  const one = ring(-at[0], -at[1]);
  const other = ring(at[0], at[1]);
  const { away } = axes(tilt);
  const over: Distance = (x, y) => -away(x, y);
  return [
    { color: main, distance: one },
    { color: second, distance: other },
    { color: main, distance: both(one, over) },
    { color: third, distance: circle(at[0], at[1], 0.13) },
  ];
}

/** As Math.hypot, which is many times slower because it guards against overflow. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}

function circle(centerX: number, centerY: number, radius: number): Distance {
  return (x, y) => length(x - centerX, y - centerY) - radius;
}

function box(centerX: number, centerY: number, halfWidth: number, halfHeight: number): Distance {
  return (x, y) => Math.max(Math.abs(x - centerX) - halfWidth, Math.abs(y - centerY) - halfHeight);
}

/** A regular polygon whose edges are `radius` away from the middle. */
function regular(sides: number, radius: number, start: number): Distance {
  const slice = 2 * Math.PI / sides;
  return (x, y) => {
    const angle = Math.atan2(y, x) - start;
    return length(x, y) * Math.cos(angle - Math.round(angle / slice) * slice) - radius;
  };
}

function both(a: Distance, b: Distance): Distance {
  return (x, y) => Math.max(a(x, y), b(x, y));
}

function cut(from: Distance, hole: Distance): Distance {
  return (x, y) => Math.max(from(x, y), -hole(x, y));
}

/** The coordinate of a point along, and away from, a direction. */
function axes(angle: number): { along: Distance; away: Distance } {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { along: (x, y) => x * cos + y * sin, away: (x, y) => y * cos - x * sin };
}
