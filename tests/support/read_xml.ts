/** A strict reading of XML, which throws unless the document is well-formed. */

import assert from "node:assert/strict";
import sax from "sax";

/** An element that has ended. */
interface Element {
  /** The names from the root down to it, such as `/rss/channel/item`. */
  readonly path: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** A start tag as sax gives it (it has no types of its own). */
interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, { readonly value: string }>>;
}

/** The part of a text that XML 1.0 can carry, by the production `Char` of section 2.2. */
export function carriedByXml(text: string): string {
  return [...text].filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code === 0x9 || code === 0xa || code === 0xd || (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000;
  }).join("");
}

/** The elements in the order in which they end; throws unless the document is well-formed. */
export function elementsOf(xml: string): Element[] {
  // Faults that sax does not detect.
  assert.equal(carriedByXml(xml), xml);
  const open: Element[] = [];
  const closed: Element[] = [];
  const parser = sax.parser(true, { xmlns: true });
  parser.onerror = (error: Error) => {
    throw error;
  };
  parser.onopentag = ({ name, attributes }: Tag) => {
    const path = [open.at(-1)?.path ?? "", name].join("/");
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value]);
    open.push({ path, attributes: Object.fromEntries(values), text: "" });
  };
  const add = (text: string) => {
    const innermost = open.at(-1);
    if (innermost !== undefined) innermost.text += text;
  };
  parser.ontext = add;
  parser.oncdata = add;
  parser.onclosetag = () => {
    const element = open.pop();
    if (element !== undefined) closed.push(element);
  };
  parser.write(xml).close();
  return closed;
}

/** The text that a browser shows for a feed's HTML. */
export function shownOf(html: string): string {
  assert.deepEqual(html.replaceAll("<br>", "").match(/[<>]|&(?!(?:amp|lt|gt);)/g), null);
  return html.replaceAll("<br>", "\n").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
