/** Reads the markup of an SVG file: the part of XML that drawing programs write. Linear in the length of the file. */

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
  /** The text between its tags, without that of its children. */
  readonly text: string;
}

/** An element whose end tag has not been read. */
interface Open extends Markup {
  readonly children: Markup[];
  text: string;
}

const MAX_ELEMENTS = 5_000;
const MAX_DEPTH = 100;
const SPACE = /[ \t\r\n]*/y;
const NAME = /[A-Za-z_][\w.-]*(?::[\w.-]+)?/y;
const VALUE = /\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** @throws {LogoError} if it is not SVG, or uses XML that drawing programs do not write. */
export function readMarkup(source: string): Markup {
  const open: Open[] = [];
  let root: Markup | null = null;
  let at = source.startsWith("\uFEFF") ? 1 : 0;
  let elements = 0;

  function match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  }

  function skipTo(end: string): string {
    const found = source.indexOf(end, at);
    if (found < 0) throw broken();
    const skipped = source.slice(at, found);
    at = found + end.length;
    return skipped;
  }

  function addText(text: string): void {
    const parent = open.at(-1);
    if (parent !== undefined) parent.text += text;
    else if (text.trim() !== "") throw broken();
  }

  function readStart(): void {
    const [name] = match(NAME) ?? [];
    if (name === undefined || root !== null) throw broken();
    if (++elements > MAX_ELEMENTS) throw new LogoError(`has more than ${MAX_ELEMENTS} elements`);
    if (open.length >= MAX_DEPTH) {
      throw new LogoError(`is nested deeper than ${MAX_DEPTH} elements`);
    }
    const attributes = new Map<string, string>();
    for (;;) {
      match(SPACE);
      const isEmpty = source.startsWith("/>", at);
      if (isEmpty || source[at] === ">") {
        at += isEmpty ? 2 : 1;
        const element: Open = { name: plainName(name), attributes, children: [], text: "" };
        if (isEmpty) close(element);
        else open.push(element);
        return;
      }
      const [attribute] = match(NAME) ?? [];
      const value = attribute === undefined ? null : match(VALUE);
      if (attribute === undefined || value === null) throw broken();
      const key = attribute.replace(/^[\w.-]+:href$/, "href");
      if (!attributes.has(key)) attributes.set(key, decode(value[1] ?? value[2] ?? ""));
    }
  }

  function close(element: Markup): void {
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  }

  while (at < source.length) {
    if (source.startsWith("<!--", at)) skipTo("-->");
    else if (source.startsWith("<![CDATA[", at)) addText(skipTo("]]>").slice(9));
    else if (source.startsWith("<?", at)) skipTo("?>");
    else if (source.startsWith("<!", at)) {
      // An internal subset could declare entities.
      if (skipTo(">").includes("[")) throw new LogoError("declares entities of its own");
    } else if (source.startsWith("</", at)) {
      const element = open.pop();
      const name = plainName(skipTo(">").slice(2).trim());
      if (element === undefined || name !== element.name) throw broken();
      close(element);
    } else if (source[at] === "<") {
      at++;
      readStart();
    } else {
      const end = source.indexOf("<", at);
      const text = source.slice(at, end < 0 ? source.length : end);
      addText(decode(text));
      at += text.length;
    }
  }
  const read = root as Markup | null;
  if (read === null || open.length > 0) throw broken();
  if (read.name !== "svg") throw new LogoError("is not SVG: its first element is not <svg>");
  return read;
}

function plainName(name: string): string {
  return name.replace(/^svg:/, "");
}

function decode(text: string): string {
  return text.replaceAll(/&(#x?[\da-f]{1,6}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const code = name[1] === "x" || name[1] === "X"
      ? parseInt(name.slice(2), 16)
      : parseInt(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "";
  });
}

function broken(): LogoError {
  return new LogoError("is not well-formed SVG");
}
