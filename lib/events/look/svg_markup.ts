/** Reads the markup of an SVG file. */

import { parseXml, XmlDocumentType, XmlElement, XmlError } from "@rgrove/parse-xml";
import type { XmlDocument } from "@rgrove/parse-xml";

/** Why a file cannot be the logo. */
export class LogoError extends Error {
  override readonly name = "LogoError";
  /** @param what the fault, as the rest of a sentence that begins with "it". */
  constructor(what: string) {
    super(`it ${what}`);
  }
}

/** An element of the file; names have no `svg:` prefix, and `xlink:href` is `href`, whatever its prefix. */
export interface Markup {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Markup[];
  /** The text between its tags. */
  readonly text: string;
}

const MAX_ELEMENTS = 5_000;
const MAX_DEPTH = 100;
/** In CDATA, the marks of a comment are text. */
const CDATA_OR_COMMENT = /(<!\[CDATA\[[^]*?(?:\]\]>|$))|<!--[^]*?(?:-->|$)/g;

/**
 * @throws {LogoError} if it is not well-formed SVG, has too many elements, is nested too deep, or declares entities.
 */
export function readMarkup(source: string): Markup {
  const { root, children } = parse(source);
  const declaresEntities = children.some((each) =>
    each instanceof XmlDocumentType && each.internalSubset !== null
  );
  if (declaresEntities) throw new LogoError("declares entities of its own");
  let elements = 0;
  const read = (element: XmlElement, depth: number): Markup => {
    if (++elements > MAX_ELEMENTS) throw new LogoError(`has more than ${MAX_ELEMENTS} elements`);
    if (depth > MAX_DEPTH) throw tooDeep();
    const attributes = Object.entries(element.attributes).map(([name, value]) =>
      [name.replace(/^[\w.-]+:href$/, "href"), value] as const
    );
    return {
      name: element.name.replace(/^svg:/, ""),
      attributes: new Map(attributes),
      children: element.children.filter((child) => child instanceof XmlElement)
        .map((child) => read(child, depth + 1)),
      text: element.text,
    };
  };
  const markup = root && read(root, 1);
  if (markup?.name !== "svg") throw new LogoError("is not SVG: its first element is not <svg>");
  return markup;
}

function parse(source: string): XmlDocument {
  // XML forbids `--` within a comment; many tools write it.
  const text = source.replaceAll(CDATA_OR_COMMENT, "$1").trim();
  try {
    return parseXml(text, { ignoreUndefinedEntities: true, preserveDocumentType: true });
  } catch (error) {
    // The stack is exhausted by elements within elements.
    if (error instanceof RangeError) throw tooDeep();
    if (error instanceof XmlError) throw new LogoError("is not well-formed SVG");
    throw error;
  }
}

function tooDeep(): LogoError {
  return new LogoError(`is nested deeper than ${MAX_DEPTH} elements`);
}
