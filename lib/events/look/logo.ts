/** The organisation's logo: an SVG or PNG file, checked, and reduced to the parts that are drawn. */

import { digestOf } from "../../platform/digest.ts";
import { imageKind } from "../pictures/image_kind.ts";
import { isMovingPng, isOpaquePng, withoutTexts } from "../pictures/png.ts";
import {
  isGradient,
  type LogoColor,
  type LogoDrawing,
  type LogoPaint,
} from "../site/logo_shapes.ts";
import type { SiteLogo } from "../site/site.ts";
import { writeSvg } from "../site/logo_svg.ts";
import { contrast, parseColor, WHITE } from "../theme/color.ts";
import { GROUNDS, INKS } from "../theme/card_style.ts";
import { LogoError } from "./svg_markup.ts";
import { readSvg } from "./svg_shapes.ts";

/** The largest file: every page has the logo. */
export const MAX_LOGO_BYTES = 100 * 1024;
/** Below this ratio a colour can hardly be distinguished from its ground. */
const SEEN_RATIO = 2;

/**
 * Reads a logo. An SVG is written again from its paths, without scripts, links and text; a PNG loses its text.
 *
 * @throws {LogoError} with the reason if it cannot be shown.
 */
export function readLogo(file: Uint8Array<ArrayBuffer>): SiteLogo {
  const kind = imageKind(file);
  if (kind !== null && kind.type !== "image/png") {
    throw new LogoError(`is ${kind.type}; it must be SVG or PNG`);
  }
  if (kind !== null) {
    if (isMovingPng(file)) throw new LogoError("moves");
    const bytes = withoutTexts(file);
    // The image is not decoded here, and most logos are designed for light grounds.
    const dark = isOpaquePng(file) ? null : GROUNDS.light;
    return {
      ...{ type: "image/png", bytes, drawing: null, width: kind.width, height: kind.height },
      version: versionOf(bytes),
      plates: { light: null, dark },
    };
  }
  const text = new TextDecoder().decode(file);
  if (!text.includes("<svg") && !text.includes(":svg")) {
    throw new LogoError("is neither SVG nor PNG");
  }
  const drawing = readSvg(text);
  const plates = platesOf(drawing);
  const svg = writeSvg(drawing, { isSquare: false, plate: plates.dark });
  const bytes = new TextEncoder().encode(svg);
  return {
    ...{ type: "image/svg+xml", bytes, drawing, width: drawing.width, height: drawing.height },
    version: versionOf(bytes),
    plates,
  };
}

function versionOf(bytes: Uint8Array): string {
  return digestOf(bytes).slice(0, 7);
}

/**
 * The plates of a drawing. On a dark page it needs one if any of its colours is hard to see there. On a light page
 * white parts may be gaps in larger shapes, so it needs one only if no colour can be seen. The colour of text can be
 * seen on both: it follows the scheme, unless there is a plate on the dark page, which is as light as the light page.
 */
function platesOf(drawing: LogoDrawing): SiteLogo["plates"] {
  const colors = drawing.shapes.flatMap(({ fill, stroke }) =>
    [fill, stroke].flatMap((paint) => paint === null ? [] : colorsOf(paint))
  );
  const isSeen = (ground: string) => {
    const color = parseColor(ground)?.color ?? WHITE;
    return (each: LogoColor) => each === "ink" || contrast(each, color) >= SEEN_RATIO;
  };
  return {
    light: colors.some(isSeen(GROUNDS.light)) ? null : INKS.light,
    dark: colors.every(isSeen(GROUNDS.dark)) ? null : GROUNDS.light,
  };
}

function colorsOf({ source }: LogoPaint) {
  return isGradient(source) ? source.stops.map(({ color }) => color) : [source];
}
