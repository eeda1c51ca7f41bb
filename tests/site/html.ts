/** HTML as a tree of elements, read by `sax` in its lenient mode, which is enough for the site's pages. */

import assert from "node:assert/strict";
import sax from "sax";

/** An element: its name in lower case, its attributes, and all text in it. */
export interface HtmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly inside: readonly string[];
  text: string;
}

const VOID = new Set(["meta", "link", "input", "img", "br", "hr", "wbr"]);

/** Every element of a document, in order; `inside` names the elements around it. */
export function parseHtml(html: string): HtmlElement[] {
  const all: HtmlElement[] = [];
  const open: HtmlElement[] = [];
  const parser = sax.parser(false, { lowercase: true });
  parser.onerror = (error: Error) => {
    throw error;
  };
  parser.onopentag = ({ name, attributes }: { name: string; attributes: object }) => {
    const element: HtmlElement = {
      tag: name,
      attributes: attributes as Record<string, string>,
      inside: open.map(({ tag }) => tag),
      text: "",
    };
    all.push(element);
    open.push(element);
    if (VOID.has(name)) open.pop();
  };
  parser.onclosetag = (name: string) => {
    if (!VOID.has(name)) open.pop();
  };
  const addText = (text: string) => {
    for (const element of open) element.text += text;
  };
  parser.ontext = addText;
  parser.onscript = addText;
  parser.write(html).close();
  return all;
}

/** The elements of a tag, with a class if one is given. */
export function find(
  all: readonly HtmlElement[],
  tag: string,
  name?: string,
): readonly HtmlElement[] {
  return all.filter((element) =>
    element.tag === tag &&
    (name === undefined || (element.attributes["class"] ?? "").split(" ").includes(name))
  );
}

/** A page without the script for its islands. */
export function withoutScripts(html: string): string {
  return html.replace(/<script type="module">[^]*?<\/script>(?=<\/body>)/, "");
}

/** Fails unless a policy allows each style element of a page by its hash, and nothing else. */
export async function assertStylesAllowed(
  all: readonly HtmlElement[],
  policy: string,
  what: string,
): Promise<void> {
  const hashes = await Promise.all(find(all, "style").map(({ text }) => hashOf(text)));
  const allowed = /style-src ([^;]*);/.exec(policy)?.[1]?.split(" ");
  assert.deepEqual(allowed?.toSorted(), hashes.toSorted(), what);
}

/** A text's hash as a source of a policy. */
export async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
}
