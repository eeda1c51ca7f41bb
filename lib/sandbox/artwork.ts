// The sample's pictures, drawn on request from a seed and a palette, in place of the files that people would
// have uploaded. The same picture description gives the same bytes, so descriptions are all that records need to hold.

import { type Palette, PALETTES } from "./palettes.ts";
import { encodePng, type IndexedImage, type TrueColorImage } from "./png.ts";
import { createRandom } from "./random.ts";

/** The picture to draw: a mark on transparent ground, or a card's background. */
export interface Picture {
  readonly kind: "logo" | "background";
  /** Chooses the shape. */
  readonly seed: string;
  /** The name of a palette of `palettes.ts`. */
  readonly palette: string;
  readonly width: number;
  readonly height: number;
}

/** A mark of the size in which the sample's logos are stored. */
export function logoPicture(seed: string, palette: string): Picture {
  return { kind: "logo", seed, palette, width: 256, height: 256 };
}

/** A background of the size in which the sample's are stored. */
export function backgroundPicture(seed: string, palette: string): Picture {
  return { kind: "background", seed, palette, width: 768, height: 512 };
}

/**
 * The picture as a PNG file.
 * @throws {Error} if no palette has the given name.
 */
export function renderPicture(picture: Picture): Uint8Array<ArrayBuffer> {
  const palette = PALETTES.find(({ name }) => name === picture.palette);
  if (palette === undefined) throw new Error(`No palette is called ${picture.palette}`);
  return encodePng((picture.kind === "logo" ? drawLogo : drawBackground)(picture, palette));
}

/** A soft gradient through the palette's three stops. Its 256 shades keep text readable, and the file small. */
function drawBackground({ seed, width, height }: Picture, { ramp }: Palette): IndexedImage {
  const random = createRandom(seed);
  const angle = random.next() * 2 * Math.PI;
  const [across, down] = [Math.cos(angle) * 0.8, Math.sin(angle) * 0.8];
  const phase = random.next() * 6;
  const indexes = new Uint8ClampedArray(width * height);
  for (let at = 0; at < indexes.length; at++) {
    const x = at % width / width - 0.5;
    const y = Math.floor(at / width) / height - 0.5;
    const wave = Math.sin(x * 4 + phase) * Math.cos(y * 3 + phase) * 0.12;
    indexes[at] = (0.5 + x * across + y * down + wave) * 255;
  }
  const [from, middle, to] = [parseHex(ramp[0]), parseHex(ramp[1]), parseHex(ramp[2])];
  const shades = Array.from(
    { length: 256 },
    (_, i) => i < 128 ? mix(from, middle, i / 127) : mix(middle, to, (i - 128) / 127),
  );
  return {
    width,
    height,
    indexes: new Uint8Array(indexes.buffer),
    palette: Uint8Array.from(shades.flat()),
  };
}

/** A flower around a disc, on transparent ground. */
function drawLogo({ seed, width, height }: Picture, { accent, text }: Palette): TrueColorImage {
  const random = createRandom(seed);
  const petals = random.int(3, 9);
  const turned = random.next() * 2 * Math.PI;
  const [main, second] = [parseHex(accent), parseHex(text)];
  const core = 0.2 + random.next() * 0.15;
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    const x = (at % width + 0.5) / width * 2 - 1;
    const y = (Math.floor(at / width) + 0.5) / height * 2 - 1;
    const radius = Math.sqrt(x * x + y * y);
    const edge = 0.75 + 0.15 * Math.cos(petals * Math.atan2(y, x) + turned);
    // Edges are soft over one pixel.
    const opacity = (edge - radius) * width / 2 + 0.5;
    const isCore = Math.min(1, Math.max(0, (core - radius) * width / 2 + 0.5));
    for (let channel = 0; channel < 3; channel++) {
      const from = main[channel] ?? 0;
      rgba[at * 4 + channel] = from + ((second[channel] ?? 0) - from) * isCore;
    }
    rgba[at * 4 + 3] = opacity * 255;
  }
  return { width, height, rgba: new Uint8Array(rgba.buffer) };
}

/** Red, green and blue, 0 to 255 each. */
type Rgb = readonly [number, number, number];

/** Reads a colour written as `#rrggbb`. */
function parseHex(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** The colour that lies `share` (0 to 1) of the way from one to the other. */
function mix([r, g, b]: Rgb, [r2, g2, b2]: Rgb, share: number): Rgb {
  return [
    Math.round(r + (r2 - r) * share),
    Math.round(g + (g2 - g) * share),
    Math.round(b + (b2 - b) * share),
  ];
}
