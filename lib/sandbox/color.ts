// Colours as the artwork handles them: "#rrggbb" in, channels of 0 to 255 out.

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [number, number, number];

/** Reads a colour written as `#rrggbb`. */
export function parseHex(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** The colour that lies `share` (0 to 1) of the way from one to the other. */
export function mix([r, g, b]: Rgb, [r2, g2, b2]: Rgb, share: number): Rgb {
  return [
    Math.round(r + (r2 - r) * share),
    Math.round(g + (g2 - g) * share),
    Math.round(b + (b2 - b) * share),
  ];
}
