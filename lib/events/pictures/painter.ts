/** Paints the picture that an event is shared with: facts and files in, a PNG or JPEG file out; in the picture process only. */

import type { Canvas, CanvasKit, Image, Paint, Paragraph } from "canvaskit-wasm";
import { PATTERNS } from "../theme/patterns.ts";
import { SCRIM_FADE } from "../theme/card_style.ts";
import type { CardTheme } from "../theme/theme.ts";
import { drawable, type Face, setHeadline, setWords } from "./internal/draw_text.ts";
import { imageKind } from "./image_kind.ts";
import type { Job, SharingFacts } from "./internal/job.ts";

/** The size of a picture in pixels, as social networks expect it. */
export const SHARING_SIZE = { width: 1200, height: 630 } as const;

/** Pictures are composed in CSS pixels, so that patterns and logos are as large as on cards. */
const SCALE = 2;
const WIDTH = SHARING_SIZE.width / SCALE;
const HEIGHT = SHARING_SIZE.height / SCALE;
const MARGIN = 28;
const INNER_WIDTH = WIDTH - 2 * MARGIN;
const GAP = 12;
const DETAILS_SIZE = 21;
const SITE_LOGO_HEIGHT = 32;
/** At the ends of the pill with the site's name or logo. */
const PADDING = 14;
const MAX_SITE_NAME_WIDTH = 200;
/** The room for the site's own logo. */
const SITE_LOGO = { width: 190, height: 22 };
const MAX_LOGO_HEIGHT = 100;
const MAX_LOGO_WIDTH = 300;
/** The height of the scrim's fade above the words. */
const FADE = 90;

/** The folder of the fonts. */
export const FONTS = new URL("../../../static/fonts/", import.meta.url);
/**
 * The site's display font and its other Latin alphabets, then Inter's Greek and Cyrillic, 75 KB of
 * @fontsource-variable/inter 5.3.0; each letter comes from the first that has it. Vietnamese precedes the extension, which has some of its letters only in two halves.
 */
const FAMILIES = [
  "bricolage-grotesque",
  "bricolage-grotesque-vietnamese",
  "bricolage-grotesque-ext",
  "inter-greek",
  "inter-greek-ext",
  "inter-cyrillic",
  "inter-cyrillic-ext",
];

/** WhatsApp shows no picture above some hundred kilobytes. */
const MAX_BYTES = 300_000;
/** Qualities of a JPEG file, from 0 to 100: the first with which it is small enough. */
const QUALITIES = [88, 78, 66, 54, 42, 30, 18, 6];

const OWN_FAMILY = "own";

/** A larger image is omitted: one of this size takes 43 MB. */
const MAX_IMAGE_PIXELS = 8_000_000;

interface Poster {
  readonly skia: CanvasKit;
  readonly canvas: Canvas;
  readonly face: Face;
  readonly theme: CardTheme;
}

/** Loads the fonts; letters come from `own` first, a font of the site's own, if Skia can read it. */
export async function loadFace(
  skia: CanvasKit,
  own?: Uint8Array<ArrayBuffer>,
): Promise<Face> {
  const files = await Promise.all(
    FAMILIES.map((family) => Deno.readFile(new URL(`${family}.woff2`, FONTS))),
  );
  const fonts = skia.TypefaceFontProvider.Make();
  const typefaces = files.map((file, at) => {
    fonts.registerFont(file, FAMILIES[at] ?? "");
    return must(skia.Typeface.MakeTypefaceFromData(file.buffer));
  });
  const typeface = own && skia.Typeface.MakeTypefaceFromData(own.buffer);
  if (!own || !typeface) return { skia, fonts, families: FAMILIES, typefaces };
  fonts.registerFont(own, OWN_FAMILY);
  return {
    ...{ skia, fonts },
    families: [OWN_FAMILY, ...FAMILIES],
    typefaces: [typeface, ...typefaces],
  };
}

/**
 * A picture of at most 300 KB: a JPEG file with a photograph behind the words, else a PNG file. It omits an image that
 * cannot be read.
 */
export function paintPicture(face: Face, facts: SharingFacts, files: Job["files"]): Uint8Array {
  const { skia } = face;
  const surface = must(skia.MakeSurface(SHARING_SIZE.width, SHARING_SIZE.height));
  const canvas = surface.getCanvas();
  canvas.scale(SCALE, SCALE);
  draw({ skia, canvas, face, theme: facts.theme }, facts, files);
  const image = surface.makeImageSnapshot();
  const jpegs = QUALITIES.values().map((quality) =>
    must(image.encodeToBytes(skia.ImageFormat.JPEG, quality))
  );
  const png = facts.theme.scrim === null ? must(image.encodeToBytes()) : null;
  if (png !== null && png.length <= MAX_BYTES) return png;
  return must(jpegs.find(({ length }) => length <= MAX_BYTES) ?? null);
}

function draw(poster: Poster, facts: SharingFacts, files: Job["files"]): void {
  const { face, skia, canvas, theme } = poster;
  const background = theme.scrim === null ? null : readImage(poster, files.background);
  const logo = readImage(poster, files.logo);
  const [name, when] = [drawable(face, facts.name), drawable(face, facts.when)];
  const place = facts.place === null ? null : drawable(face, facts.place);
  // If nothing is left of the name, the date is the headline. It is not broken.
  const [title, date, mostLines] = name === null ? [when ?? "", null, 1] : [name, when];
  const details = setDetails(poster, date, place);
  const below = details === null ? 0 : details.getHeight() + GAP;
  const logoHeight = logo === null ? 0 : Math.min(1.25 * theme.logoHeight, MAX_LOGO_HEIGHT);
  const above = MARGIN + Math.max(SITE_LOGO_HEIGHT, logoHeight) + GAP;
  const box = { width: INNER_WIDTH, height: HEIGHT - MARGIN - below - above };
  const headline = setHeadline(face, title, theme.text, box, mostLines);
  const top = HEIGHT - MARGIN - below - headline.getHeight();

  canvas.clear(skia.parseColorString(theme.ground));
  if (background !== null) drawBackground(poster, background, top);
  const pattern = theme.pattern === null ? undefined : PATTERNS[theme.pattern];
  if (pattern !== undefined) {
    const area = must(
      skia.Path.MakeFromSVGString(pattern.path({ width: WIDTH, height: HEIGHT })),
    );
    area.setFillType(skia.FillType.EvenOdd);
    canvas.drawPath(area, colored(poster, theme.shape));
  }
  if (logo !== null) {
    const scale = Math.min(logoHeight / logo.height(), MAX_LOGO_WIDTH / logo.width());
    drawImage(poster, logo, MARGIN, MARGIN, scale);
  }
  drawSite(poster, facts.site, readImage(poster, files.siteLogo));
  canvas.drawParagraph(headline, MARGIN, top);
  if (details !== null) {
    canvas.drawParagraph(details, MARGIN, HEIGHT - MARGIN - details.getHeight());
  }
}

/** The date in the accent colour, and the place beside it if there is room, else below it. */
function setDetails(
  { face, theme }: Poster,
  date: string | null,
  place: string | null,
): Paragraph | null {
  const setting = { lineHeight: 1.25, maxLines: 2, width: INNER_WIDTH };
  const set = (between: string) => {
    const runs = [
      { text: date, color: theme.accent, weight: 700 },
      { text: place && between + place, color: theme.text, weight: 500 },
    ].flatMap(({ text, ...style }) =>
      text === null ? [] : [{ ...style, text, size: DETAILS_SIZE }]
    );
    return setWords(face, runs, setting);
  };
  if (date === null || place === null) return date === null && place === null ? null : set("");
  const beside = set("   ");
  return beside.getNumberOfLines() === 1 ? beside : set("\n");
}

/** The image over the whole card, and behind the words a scrim as strong as the contrast needs. */
function drawBackground(poster: Poster, image: Image, top: number): void {
  const { skia, canvas, theme } = poster;
  const scale = Math.max(WIDTH / image.width(), HEIGHT / image.height());
  const left = (WIDTH - scale * image.width()) / 2;
  drawImage(poster, image, left, (HEIGHT - scale * image.height()) / 2, scale);
  // As on a card: full alpha behind the words, fading above them.
  const whole = Math.floor(top - GAP);
  const paint = colored(poster, theme.ground);
  paint.setAlphaf(theme.scrim ?? 0);
  canvas.drawRect(skia.LTRBRect(0, whole, WIDTH, HEIGHT), paint);
  const colors = SCRIM_FADE.map(({ alpha }) => {
    const color = skia.parseColorString(theme.ground);
    color[3] = alpha * (theme.scrim ?? 0);
    return color;
  });
  const [from, to] = [[0, whole], [0, whole - FADE]];
  const stops = SCRIM_FADE.map(({ at }) => at);
  const fade = skia.Shader.MakeLinearGradient(from, to, colors, stops, skia.TileMode.Clamp);
  paint.setAlphaf(1);
  paint.setShader(fade);
  canvas.drawRect(skia.LTRBRect(0, whole - FADE, WIDTH, whole), paint);
}

/** The site's logo, or else its name, on a ground of its own, since the image below may have any colour. */
function drawSite(
  poster: Poster,
  { name, ground, ink }: SharingFacts["site"],
  logo: Image | null,
): void {
  const { face, skia, canvas } = poster;
  const drawPill = (width: number) => {
    const left = WIDTH - MARGIN - width;
    const pill = skia.XYWHRect(left, MARGIN, width, SITE_LOGO_HEIGHT);
    const radius = SITE_LOGO_HEIGHT / 2;
    canvas.drawRRect(skia.RRectXY(pill, radius, radius), colored(poster, ground));
    return left;
  };
  if (logo !== null) {
    const scale = Math.min(SITE_LOGO.width / logo.width(), SITE_LOGO.height / logo.height());
    const left = drawPill(scale * logo.width() + 2 * PADDING);
    const top = MARGIN + (SITE_LOGO_HEIGHT - scale * logo.height()) / 2;
    drawImage(poster, logo, left + PADDING, top, scale);
    return;
  }
  const shown = drawable(face, name);
  if (shown === null) return;
  const words = setWords(
    face,
    [{ text: shown, color: ink, size: 17, weight: 700 }],
    { lineHeight: 1, maxLines: 1, width: MAX_SITE_NAME_WIDTH },
  );
  const left = drawPill(words.getLongestLine() + 2 * PADDING);
  canvas.drawParagraph(words, left + PADDING, MARGIN + (SITE_LOGO_HEIGHT - words.getHeight()) / 2);
}

/** Draws an image with its upper left corner at a point. */
function drawImage(
  { skia, canvas }: Poster,
  image: Image,
  x: number,
  y: number,
  scale: number,
): void {
  const [width, height] = [image.width(), image.height()];
  const source = skia.XYWHRect(0, 0, width, height);
  const target = skia.XYWHRect(x, y, scale * width, scale * height);
  const { Linear } = skia.FilterMode;
  // Interpolating between mipmap levels would take three times as long.
  const { Nearest } = skia.MipmapMode;
  canvas.drawImageRectOptions(image, source, target, Linear, Nearest, null);
}

/** An image, decoded now, so that damage is noticed; null if Skia cannot read all of it. */
function readImage({ skia }: Poster, file: Uint8Array<ArrayBuffer> | undefined): Image | null {
  const kind = file && imageKind(file);
  if (!file || !kind || kind.width * kind.height > MAX_IMAGE_PIXELS) return null;
  // A still image has one frame here; Skia's function for still images accepts truncated files.
  const frame = skia.MakeAnimatedImageFromEncoded(file)?.makeImageAtCurrentFrame();
  return frame ? must(frame.makeCopyWithDefaultMipmaps()) : null;
}

/** A paint of a colour, `#rrggbb`. */
function colored({ skia }: Poster, color: string): Paint {
  const paint = new skia.Paint();
  paint.setColor(skia.parseColorString(color));
  paint.setAntiAlias(true);
  return paint;
}

/** The object that Skia returns, unless it has no memory left. */
export function must<T>(made: T | null): T {
  if (made === null) throw new Error("Skia has no memory left");
  return made;
}
