/** Paints the picture that an event is shared with: facts and images in, a PNG file out; in the picture process only. */

import type { Canvas, CanvasKit, Image, Paint, Paragraph } from "canvaskit-wasm";
import { FOYER, MAX_PLACE_LENGTH, SCRIM_FADE, shortName, SITE_LOGO } from "../site/browser.ts";
import { imageKind } from "./image_kind.ts";
import { encodePng, withoutTexts } from "./png.ts";
import { DRAWINGS } from "./pattern.ts";
import { drawable, type Face, setHeadline, setWords } from "./draw_text.ts";
import type { CardLook } from "../site/mod.ts";

/** The size of a picture in pixels, as social networks expect it. */
export const SHARING_SIZE = { width: 1200, height: 630 } as const;

/** The facts in a picture. None depends on the current day, since pictures are cached for long. */
export interface SharingFacts {
  readonly name: string;
  readonly when: string;
  readonly place: string | null;
  readonly look: CardLook;
  /** The site's own name; none for the usual one, which stands beside the usual logo. */
  readonly siteName?: string;
}

/** The event's image files; each function is called just before its file is read. */
interface SharingImages {
  readonly logo: () => Uint8Array | null;
  readonly background: () => Uint8Array | null;
}

/** Pictures are composed in CSS pixels, so that patterns and logos are as large as on cards. */
const SCALE = 2;
const WIDTH = SHARING_SIZE.width / SCALE;
const HEIGHT = SHARING_SIZE.height / SCALE;
const MARGIN = 28;
const INNER_WIDTH = WIDTH - 2 * MARGIN;
const GAP = 12;
const DETAILS_SIZE = 21;
const SITE_LOGO_HEIGHT = 32;
/** Beside the widest logo of an event. */
const MAX_NAME_WIDTH = 200;
const MAX_LOGO_HEIGHT = 100;
const MAX_LOGO_WIDTH = 300;
/** The height of the scrim's fade above the words. */
const FADE = 90;
/** A larger image is omitted: WebAssembly never frees memory, and one of this size takes 43 MB. */
const MAX_IMAGE_PIXELS = 8_000_000;

const FONTS = new URL("../../static/fonts/", import.meta.url);
/**
 * The site's display font and its other Latin alphabets; each letter comes from the first that has it. Vietnamese
 * precedes the last, which has some of its letters only in two halves.
 */
const FAMILIES = [
  "bricolage-grotesque",
  "bricolage-grotesque-vietnamese",
  "bricolage-grotesque-ext",
];

/** A picture in progress. */
interface Easel {
  readonly face: Face;
  readonly skia: CanvasKit;
  readonly canvas: Canvas;
  readonly look: CardLook;
  /** Deletes an object, which is not garbage-collected, when the picture is done or has failed. */
  readonly own: <T extends { delete(): void }>(made: T) => T;
}

/** Loads the fonts. */
export async function loadFace(skia: CanvasKit): Promise<Face> {
  const files = await Promise.all(
    FAMILIES.map((family) => Deno.readFile(new URL(`${family}.woff2`, FONTS))),
  );
  const fonts = skia.TypefaceFontProvider.Make();
  const typefaces = files.map((file, at) => {
    fonts.registerFont(file, FAMILIES[at] ?? "");
    return must(skia.Typeface.MakeTypefaceFromData(file.buffer));
  });
  return { skia, fonts, families: FAMILIES, typefaces };
}

/**
 * A picture as a PNG file. It omits an image that cannot be read, and a name with letters that the font lacks: social
 * networks show the page's title below the picture. All of Skia's objects for it are deleted afterwards.
 */
export async function paintPicture(
  face: Face,
  facts: SharingFacts,
  images: SharingImages,
): Promise<Uint8Array<ArrayBuffer>> {
  const { skia } = face;
  using made = new DisposableStack();
  const own: Easel["own"] = (object) => made.adopt(object, (each) => each.delete());
  const surface = must(skia.MakeSurface(SHARING_SIZE.width, SHARING_SIZE.height));
  // Only this frees its pixels.
  made.defer(() => surface.dispose());
  const canvas = surface.getCanvas();
  canvas.scale(SCALE, SCALE);
  draw({ face, skia, canvas, look: facts.look, own }, facts, images);
  const pixels = canvas.readPixels(0, 0, {
    ...SHARING_SIZE,
    alphaType: skia.AlphaType.Opaque,
    colorType: skia.ColorType.RGBA_8888,
    colorSpace: skia.ColorSpace.SRGB,
  });
  if (!(pixels instanceof Uint8Array)) throw new Error("Skia gives no pixels");
  return await encodePng(pixels, SHARING_SIZE);
}

function draw(easel: Easel, facts: SharingFacts, images: SharingImages): void {
  const { face, skia, canvas, look } = easel;
  const background = look.scrim === null ? null : readImage(easel, images.background());
  const logo = readImage(easel, images.logo());
  const [name, when] = [drawable(face, facts.name), drawable(face, facts.when)];
  const place = facts.place === null
    ? null
    : drawable(face, shortName(facts.place, MAX_PLACE_LENGTH));
  // Without a name the date is the headline; it may break only after the dash between its days.
  const [title, date] = name === null
    ? [when?.replace(/(?<!–) /g, "\u00a0") ?? "", null]
    : [name, when];
  const details = setDetails(easel, date, place);
  const below = details === null ? 0 : details.getHeight() + GAP;
  const logoHeight = logo === null ? 0 : Math.min(1.25 * look.logoHeight, MAX_LOGO_HEIGHT);
  const above = MARGIN + Math.max(SITE_LOGO_HEIGHT, logoHeight) + GAP;
  const box = { width: INNER_WIDTH, height: HEIGHT - MARGIN - below - above };
  const headline = easel.own(setHeadline(face, title, look.text, box));
  const top = HEIGHT - MARGIN - below - headline.getHeight();

  canvas.clear(skia.parseColorString(look.ground));
  if (background !== null) drawBackground(easel, background, top);
  if (look.pattern !== null) {
    const extent = { width: WIDTH, height: HEIGHT };
    DRAWINGS[look.pattern]?.(skia, canvas, colored(easel, look.shape), extent);
  }
  if (logo !== null) {
    const scale = Math.min(logoHeight / logo.height(), MAX_LOGO_WIDTH / logo.width());
    drawImage(easel, logo, MARGIN, MARGIN, scale);
  }
  drawSiteName(easel, facts.siteName);
  canvas.drawParagraph(headline, MARGIN, top);
  if (details !== null) {
    canvas.drawParagraph(details, MARGIN, HEIGHT - MARGIN - details.getHeight());
  }
}

/** The date in the accent colour, and the place beside it if there is room, or else below. */
function setDetails(
  { face, look, own }: Easel,
  date: string | null,
  place: string | null,
): Paragraph | null {
  const setting = { lineHeight: 1.25, maxLines: 2, width: INNER_WIDTH };
  const set = (between: string) => {
    const runs = [
      { text: date, color: look.accent, weight: 700 },
      { text: place && between + place, color: look.text, weight: 500 },
    ].flatMap(({ text, ...style }) =>
      text === null ? [] : [{ ...style, text, size: DETAILS_SIZE }]
    );
    return own(setWords(face, runs, setting));
  };
  if (date === null || place === null) return date === null && place === null ? null : set("");
  const beside = set("   ");
  return beside.getNumberOfLines() === 1 ? beside : set("\n");
}

/** The image over the whole card, and behind the words a scrim as strong as the contrast needs. */
function drawBackground(easel: Easel, image: Image, top: number): void {
  const { skia, canvas, look, own } = easel;
  const scale = Math.max(WIDTH / image.width(), HEIGHT / image.height());
  const left = (WIDTH - scale * image.width()) / 2;
  drawImage(easel, image, left, (HEIGHT - scale * image.height()) / 2, scale);
  // As on a card: full alpha behind the words, fading above them.
  const whole = Math.floor(top - GAP);
  const paint = colored(easel, look.ground);
  paint.setAlphaf(look.scrim ?? 0);
  canvas.drawRect(skia.LTRBRect(0, whole, WIDTH, HEIGHT), paint);
  const colors = SCRIM_FADE.map(({ alpha }) => {
    const color = skia.parseColorString(look.ground);
    color[3] = alpha * (look.scrim ?? 0);
    return color;
  });
  const [from, to] = [[0, whole], [0, whole - FADE]];
  const stops = SCRIM_FADE.map(({ at }) => at);
  const fade = own(skia.Shader.MakeLinearGradient(from, to, colors, stops, skia.TileMode.Clamp));
  paint.setAlphaf(1);
  paint.setShader(fade);
  canvas.drawRect(skia.LTRBRect(0, whole - FADE, WIDTH, whole), paint);
}

/** The site's name on their own ground, since the image below may have any colour. */
function drawSiteName(easel: Easel, siteName: string | undefined): void {
  const { face, skia, canvas, look, own } = easel;
  const shown = drawable(face, siteName ?? FOYER);
  if (shown === null) return;
  const hasDoor = siteName === undefined;
  const [before, after] = hasDoor ? [38, 14] : [14, 14];
  const nameWidth = hasDoor ? INNER_WIDTH : MAX_NAME_WIDTH;
  const run = { text: shown, color: look.text, size: 17, weight: 700 };
  const words = own(setWords(face, [run], { lineHeight: 1, maxLines: 1, width: nameWidth }));
  const width = words.getLongestLine() + before + after;
  const left = WIDTH - MARGIN - width;
  const box = skia.XYWHRect(left, MARGIN, width, SITE_LOGO_HEIGHT);
  const pill = skia.RRectXY(box, SITE_LOGO_HEIGHT / 2, SITE_LOGO_HEIGHT / 2);
  canvas.drawRRect(pill, colored(easel, look.ground));
  if (hasDoor) drawDoor(easel, left + 12, MARGIN + 4.5);
  canvas.drawParagraph(
    words,
    left + before,
    MARGIN + (SITE_LOGO_HEIGHT - words.getHeight()) / 2,
  );
}

/** The usual logo. */
function drawDoor(easel: Easel, left: number, top: number): void {
  const { skia, canvas, look, own } = easel;
  canvas.save();
  canvas.translate(left, top);
  canvas.scale(0.9, 0.9);
  const outlines = [[SITE_LOGO.frame, look.text], [SITE_LOGO.light, look.ground]] as const;
  for (const [outline, color] of outlines) {
    canvas.drawPath(own(must(skia.Path.MakeFromSVGString(outline))), colored(easel, color));
  }
  canvas.restore();
}

function drawImage({ skia, canvas }: Easel, image: Image, x: number, y: number, scale: number) {
  const [width, height] = [image.width(), image.height()];
  const source = skia.XYWHRect(0, 0, width, height);
  const target = skia.XYWHRect(x, y, scale * width, scale * height);
  const { Linear } = skia.FilterMode;
  // Interpolating between mipmap levels would take three times as long.
  const { Nearest } = skia.MipmapMode;
  canvas.drawImageRectOptions(image, source, target, Linear, Nearest, null);
}

/** An image, decoded now, so that damage is noticed; null if Skia cannot read all of it. */
function readImage({ skia, own }: Easel, file: Uint8Array | null): Image | null {
  const kind = file === null ? null : imageKind(file);
  if (file === null || kind === null || kind.width * kind.height > MAX_IMAGE_PIXELS) return null;
  // A still image has one frame here; Skia's function for still images accepts truncated files.
  const picture = kind.type === "image/png" ? withoutTexts(file) : file;
  const frames = skia.MakeAnimatedImageFromEncoded(picture);
  const frame = frames && own(frames).makeImageAtCurrentFrame();
  return frame && own(must(own(frame).makeCopyWithDefaultMipmaps()));
}

function colored({ skia, own }: Easel, color: string): Paint {
  const paint = own(new skia.Paint());
  paint.setColor(skia.parseColorString(color));
  paint.setAntiAlias(true);
  return paint;
}

/** The object that Skia returns, unless it has no memory left. */
function must<T>(made: T | null): T {
  if (made === null) throw new Error("Skia has no memory left");
  return made;
}
