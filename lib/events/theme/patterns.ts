/**
 * The patterns of events without a background of their own, by the numbers of their themes: each once as a CSS image
 * and once as an SVG path, for the pictures that events are shared with. Lengths are CSS pixels. Text is checked
 * against both colours of a pattern.
 */

/** The area that a pattern covers. */
interface Extent {
  readonly width: number;
  readonly height: number;
}

/** A pattern in the colour `--card-shape`, and the area of that colour, filled by the even-odd rule. */
interface Pattern {
  readonly image: string;
  readonly path: (extent: Extent) => string;
}

const SHAPE = "var(--card-shape)";

/** The patterns, in the order of their numbers. */
export const PATTERNS: readonly Pattern[] = [
  rings({ x: 0.88, y: 0.12, width: 36 }),
  stripes({ degrees: -52, width: 28, step: 68 }),
  discs({ tile: { width: 44, height: 44 }, radius: 11.8, isHalf: false }),
  discs({ tile: { width: 64, height: 48 }, radius: 28.3, isHalf: true }),
  rays({ x: 0.78, y: 0.26, from: 8, width: 11, step: 22 }),
  checks(44),
];

/** The rules of the classes `pattern-0` and so on. */
export function patternStyles(): string {
  return PATTERNS.map(({ image }, at) => `.pattern-${at}{background:var(--card-ground) ${image}}\n`)
    .join("");
}

/** Rings around a point, as far apart as they are wide. */
function rings({ x, y, width }: { x: number; y: number; width: number }): Pattern {
  return {
    image: `repeating-radial-gradient(circle at ${percent(x)} ${percent(y)},` +
      `${SHAPE} 0 ${rem(width)},transparent 0 ${rem(2 * width)})`,
    path(extent) {
      // An odd number of circles, so that the innermost is filled.
      const count = 2 * Math.ceil((extent.width + extent.height) / width / 2) + 1;
      return Array.from(
        { length: count },
        (_, at) => circle(x * extent.width, y * extent.height, (at + 1) * width),
      ).join("");
    },
  };
}

function stripes({ degrees, width, step }: { degrees: number; width: number; step: number }) {
  const [sine, cosine] = [Math.sin(radians(degrees)), Math.cos(radians(degrees))];
  return {
    image: `repeating-linear-gradient(${degrees}deg,` +
      `${SHAPE} 0 ${rem(width)},transparent 0 ${rem(step)})`,
    path(extent: Extent) {
      // The gradient begins in the lower right corner.
      const reach = extent.width + extent.height;
      const point = (along: number, across: number) =>
        `${extent.width + along * sine + across * cosine},${
          extent.height - along * cosine + across * sine
        }`;
      return Array.from({ length: Math.ceil(reach / step) }, (_, at) => {
        const [near, far] = [at * step, at * step + width];
        return `M${point(near, -reach)}L${point(near, reach)}L${point(far, reach)}` +
          `L${point(far, -reach)}Z`;
      }).join("");
    },
  };
}

/** A disc in the middle of each tile, or half a disc on its lower edge; a soft edge in CSS. */
function discs(
  { tile, radius, isHalf }: { tile: Extent; radius: number; isHalf: boolean },
): Pattern {
  return {
    image: `radial-gradient(circle at 50% ${isHalf ? "100%" : "50%"},` +
      `${SHAPE} ${rem(radius)},transparent ${rem(radius + 0.4)}) ` +
      `0 ${isHalf ? "100%" : "0"}/${rem(tile.width)} ${rem(tile.height)}`,
    path: (extent) =>
      tiles(extent, tile).map(([x, y]) => {
        const middle = x + tile.width / 2;
        if (!isHalf) return circle(middle, y + tile.height / 2, radius);
        // Rows of half discs begin at the lower edge.
        const floor = extent.height - y;
        return `M${middle - radius},${floor}a${radius},${radius} 0 0 1 ${2 * radius},0Z`;
      }).join(""),
  };
}

/** Rays from a point; angles are clockwise from the top, and the first begins at `from`. */
function rays(
  { x, y, from, width, step }: { x: number; y: number; from: number; width: number; step: number },
): Pattern {
  return {
    image: `repeating-conic-gradient(from ${from}deg at ${percent(x)} ${percent(y)},` +
      `${SHAPE} 0 ${width}deg,transparent 0 ${step}deg)`,
    path(extent) {
      const [left, top] = [x * extent.width, y * extent.height];
      const reach = 2 * (extent.width + extent.height);
      const point = (degrees: number) =>
        `${left + reach * Math.sin(radians(degrees))},${top - reach * Math.cos(radians(degrees))}`;
      return Array.from({ length: Math.ceil(360 / step) }, (_, at) => {
        const begin = from + at * step;
        // The last ray ends with the full circle.
        const end = Math.min(begin + width, from + 360);
        return `M${left},${top}L${point(begin)}L${point(end)}Z`;
      }).join("");
    },
  };
}

/** Two squares of four. */
function checks(side: number): Pattern {
  return {
    image: `conic-gradient(from 90deg,${SHAPE} 25%,transparent 0 50%,${SHAPE} 0 75%,` +
      `transparent 0) 0 0/${rem(2 * side)} ${rem(2 * side)}`,
    path: (extent) =>
      tiles(extent, { width: 2 * side, height: 2 * side }).map(([x, y]) =>
        // Upper left and lower right, as the gradient has them.
        `M${x + side},${y + side}h${side}v${side}h${-side}ZM${x},${y}h${side}v${side}h${-side}Z`
      ).join(""),
  };
}

function circle(x: number, y: number, radius: number): string {
  const arc = `a${radius},${radius} 0 1 0`;
  return `M${x - radius},${y}${arc} ${2 * radius},0${arc} ${-2 * radius},0Z`;
}

/** The left upper corners of tiles that cover an extent. */
function tiles({ width, height }: Extent, tile: Extent): [x: number, y: number][] {
  const [columns, rows] = [Math.ceil(width / tile.width), Math.ceil(height / tile.height)];
  return Array.from(
    { length: columns * rows },
    (_, at) => [at % columns * tile.width, Math.floor(at / columns) * tile.height],
  );
}

function radians(degrees: number): number {
  return degrees * Math.PI / 180;
}

function rem(pixels: number): string {
  return `${Number((pixels / 16).toFixed(4))}rem`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
