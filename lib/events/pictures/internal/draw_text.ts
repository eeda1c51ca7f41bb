/** Text in an event's picture: whether it can be drawn, in which size, and on how many lines. */

import type { CanvasKit, Paragraph, Typeface, TypefaceFontProvider } from "canvaskit-wasm";

const LETTER = /[\p{L}\p{N}]/u;
/** The remains around signs that were left out: empty brackets, spaces before a comma, separators at the ends. */
const EMPTY_BRACKETS = /[([{«“"「『【（]\s*[)\]}»”"」』】）]/g;
const SPACE_BEFORE_MARK = / +(?=[,.;:!?)\]»”])/g;
const LOOSE_ENDS = /^[\s,.;:!?·•|/&+*=~_–—-]+|[\s,;:·•|/&+*=~_–—-]+$/g;
const SIGNS = new Intl.Segmenter("en", { granularity: "grapheme" });
/** From the largest to the smallest, in CSS pixels of a picture 600 wide. */
const SIZES = [84, 76, 68, 60, 54, 48, 43, 38, 34, 30, 27, 24, 21] as const;
/** Names are set tight, as on the page; Vietnamese letters have up to two marks above and one below. */
const LINE_HEIGHT = 1.02;
const TALL_LINE_HEIGHT = 1.18;
const TALL_LETTER = /[\u1ea0-\u1ef9]/;
/** Below this size a heavier weight is hard to read. */
const HEAVY_SIZE = 40;
/** Halvings of a line's width: enough to come within a pixel. */
const BALANCE_STEPS = 9;

/** The fonts that text is drawn in. */
export interface Face {
  readonly skia: CanvasKit;
  readonly fonts: TypefaceFontProvider;
  readonly families: readonly string[];
  /** The families' fonts, for the check which letters they have. */
  readonly typefaces: readonly Typeface[];
}

interface Run {
  readonly text: string;
  /** `#rrggbb`. */
  readonly color: string;
  readonly size: number;
  readonly weight: number;
  readonly letterSpacing?: number;
}

interface Setting {
  readonly lineHeight: number;
  readonly maxLines: number;
  readonly width: number;
}

/**
 * The drawable part of a text, on one line: a sign that no font has is left out, or loses the marks that its font lacks.
 * Null if nothing is left, or if letters are lost and no letter is left.
 */
export function drawable({ typefaces }: Face, text: string): string | null {
  const plain = text.normalize("NFC").replace(/\s/g, " ")
    .replace(/[\u2010\u2011]/g, "-").replace(/\p{C}|\p{Default_Ignorable_Code_Point}/gu, "");
  const has = (sign: string) =>
    typefaces.some((typeface) => typeface.getGlyphIDs(sign).every((id) => id > 0));
  let lost = "";
  const kept = Array.from(SIGNS.segment(plain), ({ segment }) => {
    // Marks are drawn in the font of their letter.
    const drawn = [segment, ...segment].slice(0, 2).find(has);
    if (drawn === undefined) lost += segment;
    return drawn ?? " ";
  }).join("");
  const words = lost === "" ? kept : kept.replace(EMPTY_BRACKETS, " ")
    .replace(SPACE_BEFORE_MARK, "").replace(LOOSE_ENDS, "");
  const shown = words.replace(/ +/g, " ").trim();
  const isPoor = lost !== "" && !LETTER.test(shown) || /\p{L}/u.test(lost) && !/\p{L}/u.test(shown);
  return shown === "" || isPoor ? null : shown;
}

/** Runs of text, laid out. */
export function setWords(face: Face, runs: readonly Run[], setting: Setting): Paragraph {
  const { skia, fonts, families } = face;
  const style = new skia.ParagraphStyle({
    maxLines: setting.maxLines,
    ellipsis: "…",
    textStyle: {},
  });
  const builder = skia.ParagraphBuilder.MakeFromFontProvider(style, fonts);
  for (const { text, color, size, weight, letterSpacing = 0 } of runs) {
    builder.pushStyle(
      new skia.TextStyle({
        color: skia.parseColorString(color),
        fontFamilies: [...families],
        fontSize: size,
        fontVariations: [{ axis: "wght", value: weight }],
        heightMultiplier: setting.lineHeight,
        halfLeading: true,
        letterSpacing,
      }),
    );
    builder.addText(text);
    builder.pop();
  }
  const paragraph = builder.build();
  paragraph.layout(setting.width);
  return paragraph;
}

/**
 * A headline as large as its box allows without breaking a word, with lines of about the same length. In the
 * smallest size it may break words and end in an ellipsis.
 *
 * @param mostLines one for words that must not be broken at all.
 */
export function setHeadline(
  face: Face,
  text: string,
  color: string,
  box: { readonly width: number; readonly height: number },
  mostLines = Infinity,
): Paragraph {
  const lineHeight = TALL_LETTER.test(text) ? TALL_LINE_HEIGHT : LINE_HEIGHT;
  for (const size of SIZES) {
    const isSmallest = size === SIZES.at(-1);
    const room = Math.max(1, Math.floor(box.height / (size * lineHeight)));
    const maxLines = Math.min(room, mostLines);
    const isHeavy = size >= HEAVY_SIZE;
    const letterSpacing = (isHeavy ? -0.03 : -0.015) * size;
    const run = { text, color, size, weight: isHeavy ? 800 : 700, letterSpacing };
    const setting = { lineHeight, maxLines, width: box.width };
    const paragraph = setWords(face, [run], setting);
    const fits = !paragraph.didExceedMaxLines() && paragraph.getHeight() <= box.height &&
      !breaksWord(paragraph, text);
    if (fits) balance(paragraph, text, box.width);
    if (fits || isSmallest) return paragraph;
  }
  throw new Error("there is no size");
}

/** Narrows a paragraph while its number of lines stays the same, as `text-wrap: balance` does. */
function balance(paragraph: Paragraph, text: string, width: number): void {
  const lines = paragraph.getNumberOfLines();
  let [tooNarrow, enough] = [0, width];
  for (let step = 0; step < BALANCE_STEPS && lines > 1; step++) {
    const middle = (tooNarrow + enough) / 2;
    paragraph.layout(middle);
    const isEnough = paragraph.getNumberOfLines() === lines && !paragraph.didExceedMaxLines() &&
      !breaksWord(paragraph, text);
    if (isEnough) enough = middle;
    else tooNarrow = middle;
  }
  paragraph.layout(enough);
}

/** Whether a line ends other than after a space or a mark that allows a break. */
function breaksWord(paragraph: Paragraph, text: string): boolean {
  return paragraph.getLineMetrics().slice(0, -1)
    .some(({ endIndex }) => !/[\s\-–—/|]$/.test(text.slice(0, endIndex)));
}
