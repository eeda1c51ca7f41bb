// Backgrounds of cards: a soft gradient through a palette's three stops, with a quiet pattern laid over it. Each pixel is
// one of 256 shades between the stops, which keeps text readable everywhere and the files small.

import { mix, parseHex } from "./color.ts";
import type { Palette } from "./palettes.ts";
import type { IndexedImage } from "./png.ts";
import { createRandom, type Random } from "./random.ts";

/**
 * Writes by how much a pattern changes the shade of each point of the row at `y`, from -1 to 1. The picture's height
 * is 1, and `px` is one pixel. Whole rows, because a call per pixel that returns a number costs several times as
 * much.
 */
type Pattern = (y: number, row: Float64Array) => void;

type PatternMaker = (random: Random, px: number) => Pattern;

const PATTERNS: readonly PatternMaker[] = [
  hills,
  rings,
  ribbons,
  dots,
  tiles,
  facets,
];

/** Draws the background that belongs to `seed` in the colours of `palette`. */
export function drawBackground(
  seed: string,
  palette: Palette,
  width: number,
  height: number,
): IndexedImage {
  const random = createRandom(seed);
  const px = 1 / height;
  const pattern = random.pick(PATTERNS)(random, px);
  const angle = random.next() * 2 * Math.PI;
  const across = Math.cos(angle) * 0.42;
  const down = Math.sin(angle) * 0.42;
  const phase = random.next() * 6;

  const indexes = new Uint8Array(width * height);
  const wave = Float64Array.from({ length: width }, (_, x) => Math.sin(x * px * 2.6 + phase));
  const moved = new Float64Array(width);
  for (let row = 0, at = 0; row < height; row++) {
    const y = row * px;
    pattern(y, moved);
    const sway = Math.cos(y * 3.1 + phase) * 0.12;
    for (let column = 0; column < width; column++, at++) {
      const x = column * px;
      const base = 0.5 + (x - 0.75) * across + (y - 0.5) * down + (wave[column] ?? 0) * sway;
      const shade = base + (moved[column] ?? 0) * 0.2;
      indexes[at] = shade <= 0 ? 0 : shade >= 1 ? 255 : shade * 255;
    }
  }
  return { width, height, indexes, palette: shades(palette) };
}

/** 256 colours through the three stops. */
function shades({ ramp }: Palette): Uint8Array {
  const [from, middle, to] = [parseHex(ramp[0]), parseHex(ramp[1]), parseHex(ramp[2])];
  const colors = Array.from(
    { length: 256 },
    (_, i) => i < 128 ? mix(from, middle, i / 127) : mix(middle, to, (i - 128) / 127),
  );
  return Uint8Array.from(colors.flat());
}

/** 0 outside a shape, 1 inside, with a soft edge one pixel wide; `distance` is negative inside. */
function cover(distance: number, px: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance / px));
}

/** As Math.hypot, which is many times slower because it guards against overflow. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}

/** Ranges of hills behind each other. */
function hills(random: Random, px: number): Pattern {
  const ranges = Array.from({ length: 4 }, (_, i) => ({
    foot: 0.42 + i * 0.16 + random.next() * 0.05,
    height: 0.05 + random.next() * 0.05,
    pace: 3 + random.next() * 4,
    phase: random.next() * 6,
  }));
  return (y, row) => {
    for (let i = 0; i < row.length; i++) {
      const x = i * px;
      let shade = -0.2;
      for (const { foot, height, pace, phase } of ranges) {
        const ridge = foot + height * Math.sin(x * pace + phase) +
          height * 0.4 * Math.sin(x * pace * 2.3 + phase);
        shade += 0.32 * cover(ridge - y, px);
      }
      row[i] = shade;
    }
  };
}

/** Circles around a point near a corner. */
function rings(random: Random, px: number): Pattern {
  const centerX = random.pick([0.1, 1.4]);
  const centerY = random.pick([0.05, 0.95]);
  const gap = 0.09 + random.next() * 0.06;
  return (y, row) => {
    for (let i = 0; i < row.length; i++) {
      const x = i * px;
      const distance = length(x - centerX, y - centerY);
      const inRing = Math.abs((distance / gap) % 1 - 0.5) * gap - gap * 0.2;
      row[i] = cover(inRing, px) * Math.max(0, 1 - distance * 0.55) * 0.8;
    }
  };
}

/** Slanted bands that bend. */
function ribbons(random: Random, px: number): Pattern {
  const slope = random.pick([-0.7, -0.35, 0.35, 0.7]);
  const width = 0.16 + random.next() * 0.1;
  const bend = 0.03 + random.next() * 0.05;
  return (y, row) => {
    for (let i = 0; i < row.length; i++) {
      const x = i * px;
      const along = y + x * slope + bend * Math.sin(x * 3 + y * 2) + 3;
      const band = Math.floor(along / width);
      const inside = Math.abs(along / width - band - 0.5) * width - width * 0.5;
      row[i] = cover(inside, px) * ((band * 5) % 3 - 1) * 0.55;
    }
  };
}

/** A field of dots that shrink towards one side. */
function dots(random: Random, px: number): Pattern {
  const gap = 0.05 + random.next() * 0.025;
  const fromLeft = random.chance(0.5);
  return (y, row) => {
    for (let i = 0; i < row.length; i++) {
      const x = i * px;
      const line = Math.floor(y / gap);
      const shifted = x + (line % 2) * gap / 2;
      const column = Math.floor(shifted / gap);
      const side = fromLeft ? 1 - x / 1.5 : x / 1.5;
      const radius = gap * 0.42 * Math.max(0, Math.min(1, side * 1.25));
      const distance = length(shifted / gap - column - 0.5, y / gap - line - 0.5) * gap;
      row[i] = radius < px ? 0 : cover(distance - radius, px) * 0.75;
    }
  };
}

/** Squares with quarter circles cut out, as on a tiled floor. */
function tiles(random: Random, px: number): Pattern {
  const size = random.pick([1 / 4, 1 / 5, 1 / 6]);
  const turns = Array.from({ length: 64 }, () => random.int(0, 5));
  return (y, row) => {
    for (let i = 0; i < row.length; i++) {
      const x = i * px;
      const column = Math.floor(x / size);
      const line = Math.floor(y / size);
      const turn = turns[(line * 11 + column) % 64] ?? 0;
      if (turn > 3) {
        row[i] = 0;
        continue;
      }
      const cornerX = (turn & 1) === 0 ? column * size : (column + 1) * size;
      const cornerY = (turn & 2) === 0 ? line * size : (line + 1) * size;
      const distance = length(x - cornerX, y - cornerY) - size;
      row[i] = cover(distance, px) * (turn === 0 || turn === 3 ? 0.6 : -0.45);
    }
  };
}

/** Triangles of slightly different shades, like folded paper. */
function facets(random: Random, px: number): Pattern {
  const size = random.pick([1 / 3, 1 / 4]);
  const shades = Array.from({ length: 97 }, () => random.next() * 1.3 - 0.65);
  return (y, row) => {
    for (let i = 0; i < row.length; i++) {
      const x = i * px;
      const line = Math.floor(y / size);
      const skewed = x + (y - line * size) * 0.5 * (line % 2 === 0 ? 1 : -1) + size;
      const column = Math.floor(skewed / size);
      const upper = skewed / size - column + (y / size - line) < 1 ? 0 : 1;
      row[i] = shades[(line * 23 + column * 2 + upper) % 97] ?? 0;
    }
  };
}
