/** Paints the picture that an event is shared with: facts and images in, a PNG file out; in the picture process only. */

import type { CanvasKit, Image, Paragraph } from "canvaskit-wasm";
import { FOYER } from "../../platform/site_name.ts";
import { MAX_PLACE_LENGTH, shortName } from "../site/short_text.ts";
import { SITE_LOGO } from "../site/logo_shapes.ts";
import { SCRIM_FADE } from "../theme/card_style.ts";
import { colored, drawImage, type Easel, must, paintFile, readImage } from "./easel.ts";
import { drawLogo, type LogoToDraw } from "./draw_logo.ts";
import { DRAWINGS } from "./pattern.ts";
import { drawable, type Face, setHeadline, setWords } from "./draw_text.ts";
import type { MarkColors } from "../site/site_color.ts";
import type { CardLook } from "../theme/theme.ts";

/** The size of a picture in pixels, as social networks expect it. */
export const SHARING_SIZE = { width: 1200, height: 630 } as const;

/** The facts in a picture. None depends on the current day, since pictures are cached for long. */
export interface SharingFacts {
  readonly name: string;
  readonly when: string;
  readonly place: string | null;
  readonly look: CardLook;
  /** The site's own name and look; none for the usual one. */
  readonly site?: SharedSite;
}

/** A site as a picture shows it. */
export interface SharedSite {
  readonly name: string;
  /** Null for those of the event. */
  readonly colors: MarkColors | null;
  readonly logo: LogoToDraw | null;
}

/** Opens an image file of a picture just before it is read; null without one. */
type OpenFile = (name: "logo" | "background" | "siteLogo") => Uint8Array | null;

/** Pictures are composed in CSS pixels, so that patterns and logos are as large as on cards. */
const SCALE = 2;
const WIDTH = SHARING_SIZE.width / SCALE;
const HEIGHT = SHARING_SIZE.height / SCALE;
const MARGIN = 28;
const INNER_WIDTH = WIDTH - 2 * MARGIN;
const GAP = 12;
const DETAILS_SIZE = 21;
const SITE_LOGO_HEIGHT = 32;
/** The width of the widest event logo's column. */
const MAX_NAME_WIDTH = 200;
/** At the ends of the pill with the site's name. */
const PADDING = 14;
/** In front of the name, for the usual logo. */
const DOOR_ROOM = 38;
const LOGO_GAP = 8;
/** The rooms for a logo beside the name, and for one that has the name in it. */
const SMALL_LOGO = { width: 44, height: 22 };
const WIDE_LOGO = { width: 190, height: 20 };
const MAX_LOGO_HEIGHT = 100;
const MAX_LOGO_WIDTH = 300;
/** The height of the scrim's fade above the words. */
const FADE = 90;

/** The folder of the fonts. */
export const FONTS = new URL("../../../static/fonts/", import.meta.url);
/**
 * The site's display font and its other Latin alphabets; each letter comes from the first that has it. Vietnamese
 * precedes the last, which has some of its letters only in two halves.
 */
const FAMILIES = [
  "bricolage-grotesque",
  "bricolage-grotesque-vietnamese",
  "bricolage-grotesque-ext",
];

const OWN_FAMILY = "own";

/** A picture of an event in progress. */
interface Poster extends Easel {
  readonly face: Face;
  readonly look: CardLook;
}

/** Loads the fonts; letters come from `own` first, a font of the site's own. */
export async function loadFace(
  skia: CanvasKit,
  own: Uint8Array<ArrayBuffer> | null = null,
): Promise<Face> {
  const usual = await Promise.all(
    FAMILIES.map((family) => Deno.readFile(new URL(`${family}.woff2`, FONTS))),
  );
  const files = own === null ? usual : [own, ...usual];
  const families = own === null ? FAMILIES : [OWN_FAMILY, ...FAMILIES];
  const fonts = skia.TypefaceFontProvider.Make();
  const typefaces = files.map((file, at) => {
    fonts.registerFont(file, families[at] ?? "");
    return must(skia.Typeface.MakeTypefaceFromData(file.buffer));
  });
  return { skia, fonts, families, typefaces };
}

/**
 * A picture as a PNG file. It omits an image that cannot be read, and a name with letters that the font lacks: social
 * networks show the page's title below the picture. `whenDrawn` is that of {@linkcode paintFile}.
 */
export function paintPicture(
  face: Face,
  facts: SharingFacts,
  open: OpenFile,
  whenDrawn?: () => void,
): Uint8Array {
  const drawPicture = (easel: Easel) => {
    easel.canvas.scale(SCALE, SCALE);
    draw({ ...easel, face, look: facts.look }, facts, open);
  };
  return paintFile(face.skia, SHARING_SIZE, drawPicture, whenDrawn);
}

function draw(easel: Poster, facts: SharingFacts, open: OpenFile): void {
  const { face, skia, canvas, look } = easel;
  const background = look.scrim === null ? null : readImage(easel, open("background"));
  const logo = readImage(easel, open("logo"));
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
  drawSite(easel, facts.site, readImage(easel, open("siteLogo")));
  canvas.drawParagraph(headline, MARGIN, top);
  if (details !== null) {
    canvas.drawParagraph(details, MARGIN, HEIGHT - MARGIN - details.getHeight());
  }
}

/** The date in the accent colour, and the place beside it if there is room, else below it. */
function setDetails(
  { face, look, own }: Poster,
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
function drawBackground(easel: Poster, image: Image, top: number): void {
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

/** The site's logo and name on a ground of their own, since the image below may have any colour. */
function drawSite(easel: Poster, site: SharedSite | undefined, image: Image | null): void {
  const { face, skia, canvas, look, own } = easel;
  const { ground, ink } = site?.colors ?? { ground: look.ground, ink: look.text };
  const logo = site?.logo ?? null;
  const hasLogo = logo !== null && (image !== null || logo.drawing !== null);
  const isAlone = hasLogo && logo.isWordmark;
  const shown = isAlone ? null : drawable(face, site?.name ?? FOYER);
  const box = hasLogo ? fit(logo, isAlone ? WIDE_LOGO : SMALL_LOGO) : { width: 0, height: 0 };
  const before = site === undefined
    ? DOOR_ROOM
    : hasLogo
    ? PADDING + box.width + LOGO_GAP
    : PADDING;
  if (shown === null && !hasLogo) return;
  const maxWidth = site === undefined ? INNER_WIDTH : MAX_NAME_WIDTH;
  const words = shown === null ? null : own(setWords(
    face,
    [{ text: shown, color: ink, size: 17, weight: 700 }],
    { lineHeight: 1, maxLines: 1, width: maxWidth },
  ));
  const width = words === null
    ? box.width + 2 * PADDING
    : words.getLongestLine() + before + PADDING;
  const left = WIDTH - MARGIN - width;
  const pill = skia.XYWHRect(left, MARGIN, width, SITE_LOGO_HEIGHT);
  const radius = SITE_LOGO_HEIGHT / 2;
  canvas.drawRRect(skia.RRectXY(pill, radius, radius), colored(easel, ground));
  if (site === undefined) drawDoor(easel, left + 12, MARGIN + 4.5);
  if (hasLogo) {
    const place = { x: left + PADDING, y: MARGIN + (SITE_LOGO_HEIGHT - box.height) / 2, ...box };
    drawLogo(easel, logo, image, place);
  }
  if (words !== null) {
    const top = MARGIN + (SITE_LOGO_HEIGHT - words.getHeight()) / 2;
    canvas.drawParagraph(words, left + before, top);
  }
}

/** The largest box of the same ratio within another. */
function fit(
  { width, height }: { readonly width: number; readonly height: number },
  room: { readonly width: number; readonly height: number },
): { width: number; height: number } {
  const scale = Math.min(room.width / width, room.height / height);
  return { width: scale * width, height: scale * height };
}

/** The usual logo. */
function drawDoor(easel: Poster, left: number, top: number): void {
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
