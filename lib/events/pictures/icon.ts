/** Paints the icon of a site with a mark of its own; in the picture process only. */

import type { MarkColors } from "../site/site_color.ts";
import { drawLogo, type LogoToDraw } from "./draw_logo.ts";
import { drawable, type Face, setWords } from "./draw_text.ts";
import { type Easel, paintFile, readImage } from "./easel.ts";

/** The content of an icon: a logo, or else a letter. */
export interface IconFacts extends MarkColors {
  /** In pixels. */
  readonly side: number;
  readonly letter: string;
  readonly logo: LogoToDraw | null;
  /** Whether platforms may cut off all but a circle of four fifths of the side. */
  readonly isMaskable: boolean;
}

/** The side of the logo and the size of the letter, as shares of the icon. */
const SHARES = { whole: { logo: 0.72, letter: 0.66 }, maskable: { logo: 0.52, letter: 0.5 } };
/** The height of capitals, as a share of their size. */
const CAPITALS = 0.7;

/**
 * An icon as a PNG file. It is the ground alone if its letter is not in the display font, or its file cannot be read.
 * `whenDrawn` is that of {@linkcode paintFile}.
 */
export function paintIcon(
  face: Face,
  { side, ground, ink, letter, logo, isMaskable }: IconFacts,
  file: () => Uint8Array | null,
  whenDrawn: () => void,
): Uint8Array {
  const shares = SHARES[isMaskable ? "maskable" : "whole"];
  const draw = (easel: Easel) => {
    const { skia, canvas, own } = easel;
    canvas.clear(skia.parseColorString(ground));
    if (logo !== null) {
      const scale = shares.logo * side / Math.max(logo.width, logo.height);
      const [width, height] = [scale * logo.width, scale * logo.height];
      const place = { x: (side - width) / 2, y: (side - height) / 2, width };
      drawLogo(easel, logo, readImage(easel, file()), place);
      return;
    }
    const shown = drawable(face, letter);
    if (shown === null) return;
    const size = shares.letter * side;
    const run = { text: shown, color: ink, size, weight: 700 };
    const words = own(setWords(face, [run], { lineHeight: 1, maxLines: 1, width: 2 * side }));
    const top = side / 2 + CAPITALS * size / 2 - words.getAlphabeticBaseline();
    canvas.drawParagraph(words, (side - words.getLongestLine()) / 2, top);
  };
  return paintFile(face.skia, { width: side, height: side }, draw, whenDrawn);
}
