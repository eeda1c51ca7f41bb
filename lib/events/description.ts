/**
 * Descriptions as HTML and as text. A cell may hold plain text or Airtable's own Markdown, and nothing says which. So
 * only what Airtable writes is markup, and every other sign stays as it was typed.
 *
 * Airtable's dialect differs from CommonMark: each line break counts, items need no empty line around them, checkboxes
 * are lines, a block of code begins right behind its marks, bold may end with a space, and people are elements
 * (https://support.airtable.com/docs/markdown-rich-text-output-in-the-api,
 * https://airtable.com/developers/web/api/field-model#long-text).
 */

import { escapeBeginning, escapeHtml, escapeInline, htmlOf } from "../platform/escape.ts";
import MarkdownIt, { type Token } from "markdown-it";
import { link } from "../platform/markdown.ts";
import { withoutForbidden } from "../platform/text.ts";

const MENTION = /<airtable:mention\b[^<>]*>([^<]*)<\/airtable:mention>/g;
/** Bold and struck texts, and the spaces before their last mark. */
const LOOSE_END = /(?<![\p{L}\p{N}*~])(\*\*|~~)([^\s*~](?:[^*~]*[^\s*~])?)(\s*)\1/gu;
/** Between the text and the address of a link, if there is no address. */
const NO_TARGET = /\](?=\(\s*(?:<>)?\s*\))/g;
/** Before a sign that is no markup while a description is parsed. No text has this character, which is none. */
const GUARD = "\ufffe";
const FENCE = /^ {0,3}`{3,}[^`]*$/;
const FENCE_END = /^ {0,3}`{3,}\s*$/;
const CHECKBOX = /^([ \t]*)(?:[-*][ \t]+)?\[([ xX])\](?=[ \t]+\S)/;
const HAS_CHECKBOX = new RegExp(CHECKBOX, "m");
const BULLET = /^\s*[-*]\s+\S/;
const NUMBERED = /^(\s*)(\d{1,9})[.)]\s+\S/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^\s*>(?: \D|\s*$)/;
/** Beginnings of lines that CommonMark takes for markup, and people for signs: "> 18", "+ 1", "#", "-", "~~~", and "```"
 * without an end. */
const SIGN = /^(\s*)(?=[+>]|~{3}|`{3}|#{1,6}\s*$|[-*]\s*$)/;
/** The same beginnings, and numbers, behind the mark of an item or a quote: "- > 18", "- 24. December". */
const ITEM = "^(\\s*(?:[-*>]|\\d{1,9}[.)])\\s+";
const SIGN_OF_ITEM = new RegExp(`${ITEM})(?=[+>]|~{3}|\`{3}|(?:#{1,6}|[-*])(?:\\s|$))`);
const NUMBER_OF_ITEM = new RegExp(`${ITEM}\\d{1,9})(?=[.)](?:\\s|$))`);
/** A number at the beginning of a line that no list has, such as the day in "24. December". */
const NUMBER = /^(\s*\d{1,9})(?=[.)](?:\s|$))/;

/** The signs that a backslash protects: within lines, and at their beginning. */
const PROTECTED = "*_~`[]";
const PROTECTED_FIRST = "#>+-.)";
const BEGINNING = /(?:^|\n)[ \t]*\d{0,9}$/;
/** No line begins with more spaces and digits before such a sign. */
const MAX_BEGINNING = 40;
const HAS_PROTECTED = /\\[*_~`[\]]|^[ \t]*\d*\\[#>+\-.)]/m;
/** Letters and digits of words with spaces around them. Scripts without case, such as Japanese, write no spaces. */
const WORD = /[\p{Lu}\p{Ll}\p{Lt}\p{N}]/u;
const SPACE = /\s/;
/** With one of these, no emphasised text begins: "*.ts", "*) only". */
const NO_BEGINNING = /[\s.,;:!?/\])}%|=+<>&^]/;
/** The pairs of signs around a sign that is itself quoted. */
const AROUND_SIGN = ['""', "''", "“”", "‘’", "„“", "«»", "()", "[]"];

const markdown = new MarkdownIt({ html: false, breaks: true, linkify: true })
  .disable(["code", "table", "lheading", "reference", "entity"]);

// Addresses

const TOP_LEVEL_DOMAINS = ["app", "blog", "club", "dev", "events", "online", "social", "tech"];
/** Names of files, and a new sentence after a missing space: "readme.md", "over.It". */
const NO_ADDRESS = /\.(?:md|rs|py|sh|pl|cc|so|ps|\p{Lu}\p{L}*)$/u;

markdown.linkify.set({ fuzzyLink: true }).tlds(TOP_LEVEL_DOMAINS, true);
markdown.linkify.normalize = (match) => {
  const { schema, url } = match;
  if (schema === "") {
    match.url = NO_ADDRESS.test(url) && !/^www\./i.test(url) ? "" : `https://${url}`;
  }
  if (schema === "mailto:" && !/^mailto:/i.test(url)) match.url = `mailto:${url}`;
};
markdown.normalizeLinkText = (url) => url;
/** An address as it is in a link: `www.example.org` gets its scheme. */
markdown.normalizeLink = (address) => {
  const [match] = markdown.linkify.match(address) ?? [];
  return match?.raw === address ? match.url : address;
};
/** Only web and mail addresses, without a name before the host that says another one. */
markdown.validateLink = (address) => {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "mailto:" ||
    /^https?:\/\//i.test(address) && /[.:]/.test(url.hostname);
};

// Emphasis and escapes

/** The state of the parser, as markdown-it passes it to rules. */
type Env = Record<string, unknown> & {
  isProtected?: boolean;
  isBare?: boolean;
  /** Whether a backslash that protects a sign is shown. */
  readonly keepsBackslashes?: boolean;
};

const { State } = markdown.inline;
/** Marks within words are no emphasis: 2*3*4, snake_case_name, "*.ts and *.js". */
markdown.inline.State = class extends State {
  override scanDelims(start: number, _canSplitWord: boolean) {
    const marker = this.src[start];
    let end = start;
    while (end < this.posMax && this.src[end] === marker) end++;
    const length = end - start;
    const last = /[^]$/u.exec(this.src.slice(Math.max(0, start - 2), start))?.[0] ?? " ";
    const before = last === GUARD ? " " : last;
    const after = /^[^]/u.exec(this.src.slice(end, Math.min(end + 2, this.posMax)))?.[0] ?? " ";
    const isPair = length > 1;
    if (AROUND_SIGN.includes(before + after)) return { can_open: false, can_close: false, length };
    return {
      can_open: !WORD.test(before) && !(isPair ? SPACE : NO_BEGINNING).test(after),
      can_close: !SPACE.test(before) && (isPair && marker !== "_" || !WORD.test(after)),
      length,
    };
  }
};

markdown.inline.ruler.at("escape", (state, silent) => {
  const { src, pos } = state;
  const sign = src[pos + 1];
  if (src[pos] !== "\\" || sign === undefined) return false;
  const isFirst = () => BEGINNING.test(src.slice(Math.max(0, pos - MAX_BEGINNING), pos));
  if (!PROTECTED.includes(sign) && !(PROTECTED_FIRST.includes(sign) && isFirst())) return false;
  if (!silent) {
    const token = state.push("text_special", "", 0);
    token.markup = `\\${sign}`;
    token.content = (state.env as Env).keepsBackslashes ? token.markup : sign;
    token.info = "escape";
  }
  state.pos += 2;
  return true;
});

// Airtable protects each of these signs. A text that leaves one bare has its backslashes for another purpose: ¯\_(ツ)_/¯
markdown.core.ruler.before("text_join", "bare", (state) => {
  const env: Env = state.env;
  for (const { children } of state.tokens) {
    for (const { type, markup, content, level } of children ?? []) {
      if (type === "text_special") env.isProtected ||= /[*_]/.test(markup);
      // Addresses, which are within links, have them too.
      if (type === "text" && level === 0) env.isBare ||= /[*_]/.test(content);
    }
  }
});

markdown.core.ruler.push("guards", ({ tokens }) => {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    token.content = token.content.replaceAll(GUARD, "");
  }
});

// A number stays the one that was typed.
markdown.core.ruler.push("numbers", ({ tokens }) => {
  const expected: number[] = [];
  for (const token of tokens) {
    if (token.type === "ordered_list_open") expected.push(Number(token.attrGet("start") ?? 1));
    if (token.type === "ordered_list_close") expected.pop();
    if (token.type !== "list_item_open" || token.info === "") continue;
    const next = expected.pop() ?? 1;
    if (Number(token.info) !== next) token.attrSet("value", token.info);
    expected.push(Number(token.info) + 1);
  }
});

// HTML

const { rules } = markdown.renderer;
rules["heading_open"] = () => "<p><strong>";
rules["heading_close"] = () => "</strong></p>\n";
rules["fence"] = (tokens, at) => `<pre><code>${escapeHtml(codeOf(tokens[at]))}</code></pre>\n`;
rules["link_open"] = (tokens, at) => linkTo(String(tokens[at]?.attrGet("href")));
// Nothing of another site is loaded: a picture is a link to it.
rules["image"] = (tokens, at) => {
  const address = String(tokens[at]?.attrGet("src"));
  return `${linkTo(address)}${escapeHtml(tokens[at]?.content || address)}</a>`;
};

/** The start of a link that gives its target nothing of this site: neither its reputation nor its window. */
function linkTo(address: string): string {
  return `<a href="${escapeHtml(address)}" rel="nofollow ugc noopener">`;
}

/** A block of code. Airtable begins it in the line of its marks. */
function codeOf(token: Token | undefined): string {
  const { info = "", content = "" } = token ?? {};
  return info.trim() === "" ? content : `${info}\n${content}`;
}

/** A description as HTML that loads nothing: blocks, or lines if it is plain text. */
export function descriptionHtml(description: string): string {
  const { tokens, isPlain } = parse(description);
  if (!isPlain) {
    return markdown.renderer.render(tokens, markdown.options, {}).trim();
  }
  const text = withNames(description);
  let [html, until] = ["", 0];
  for (const { index, lastIndex, raw, url } of markdown.linkify.match(text) ?? []) {
    if (!markdown.validateLink(url)) continue;
    html += `${htmlOf(text.slice(until, index))}${linkTo(url)}${htmlOf(raw)}</a>`;
    until = lastIndex;
  }
  return html + htmlOf(text.slice(until));
}

/** A description in which people are their names. */
function withNames(description: string): string {
  return description.replace(MENTION, "$1");
}

interface Parsed {
  readonly tokens: Token[];
  /** Whether it has lines and addresses alone. */
  readonly isPlain: boolean;
}

function parse(description: string): Parsed {
  const source = toCommonMark(description);
  const env: Env = {};
  const tokens = markdown.parse(source, env);
  const isOther = HAS_CHECKBOX.test(description);
  if (env.isProtected && env.isBare) {
    const tokens = markdown.parse(source, { keepsBackslashes: true } satisfies Env);
    return { tokens, isPlain: !isOther && tokens.every(isPlain) };
  }
  return { tokens, isPlain: !isOther && !HAS_PROTECTED.test(description) && tokens.every(isPlain) };
}

/** Whether a part is a line or an address. */
function isPlain({ type, children, markup }: Token): boolean {
  return /^(?:paragraph_open|paragraph_close|text|softbreak|hardbreak)$/.test(type) ||
    /^link_/.test(type) && markup === "linkify" ||
    type === "inline" && (children ?? []).every(isPlain);
}

/** The words of a description, for searches: without the marks within them. */
export function descriptionWords(description: string): string {
  return withNames(description).replace(/\\(?=[*_~`[\]])|\*\*|~~/g, "");
}

// Text and markdown

/** How the parts of a description are written. */
interface Form {
  readonly lines: (tokens: readonly Token[], isHeading: boolean) => string;
  readonly code: (code: string) => string;
}

/** A description as text: links with their addresses, lists with their marks. Plain text stays as it is. */
export function descriptionText(description: string): string {
  const { tokens, isPlain } = parse(description);
  return isPlain
    ? withNames(description)
    : writeBlocks(tokens, { lines: textOf, code: (code) => code.trimEnd() });
}

/** A description as markdown that every reader understands as it is shown here. */
export function descriptionMarkdown(description: string): string {
  return writeBlocks(parse(withoutForbidden(description)).tokens, {
    lines: markdownOf,
    code: fence,
  });
}

function writeBlocks(tokens: readonly Token[], form: Form): string {
  const lines: string[] = [];
  /** The beginnings of the next line, one for each list around it: the mark of an item, or the space below the mark. */
  let marks: string[] = [];
  let quotes = 0;
  const below = (mark: string) => mark.replace(/\S/g, " ");
  const write = (text: string) => {
    for (const line of text.split("\n")) {
      lines.push(`${"> ".repeat(quotes)}${marks.join("")}${line}`.trimEnd());
      marks = marks.map(below);
    }
  };
  for (const [at, token] of tokens.entries()) {
    const { type, hidden, info, markup } = token;
    if (type === "blockquote_open") quotes++;
    if (type === "blockquote_close") quotes--;
    if (type === "list_item_open") marks.push(info === "" ? "- " : `${info}${markup} `);
    if (type === "list_item_close") marks.pop();
    if (type === "inline") {
      write(form.lines(token.children ?? [], tokens[at - 1]?.type === "heading_open"));
    }
    if (type === "fence") write(form.code(codeOf(token)));
    if (type === "hr") write("---");
    const isEnd = /^(?:paragraph|heading)_close$|^(?:fence|hr)$/.test(type) && !hidden ||
      /list_close$/.test(type) && marks.length === 0;
    if (isEnd && lines.at(-1) !== "") lines.push("");
  }
  return lines.join("\n").trim();
}

function textOf(tokens: readonly Token[]): string {
  let [text, address, label] = ["", "", 0];
  for (const token of tokens) {
    const { type, content } = token;
    if (type === "softbreak" || type === "hardbreak") text += "\n";
    else if (type === "s_open" || type === "s_close") text += "~~";
    else if (type === "image") text += withAddress(content, String(token.attrGet("src")));
    else if (type === "link_open") [address, label] = [String(token.attrGet("href")), text.length];
    else if (type !== "link_close") text += content;
    else if (token.markup === "") {
      text = text.slice(0, label) + withAddress(text.slice(label), address);
    }
  }
  return text;
}

function withAddress(label: string, address: string): string {
  const isSaid = [label, `mailto:${label}`, `https://${label}`, `http://${label}`].includes(
    address,
  );
  if (label === "" || isSaid) return label || address;
  return `${label} (${address})`;
}

function markdownOf(tokens: readonly Token[], isHeading: boolean): string {
  let [text, address, label] = ["", "", ""];
  for (const { type, content, markup, attrs } of tokens) {
    const target = String(attrs?.[0]?.[1]);
    if (type === "link_open") [address, label] = [target, ""];
    else if (type === "link_close") {
      text += link(label || address, address);
      address = "";
    } else if (address !== "") label += content;
    else if (type === "image") text += link(content || target, target);
    else if (type === "softbreak" || type === "hardbreak") text += "\n";
    else if (type === "code_inline") text += `${markup} ${content} ${markup}`;
    // With the link after it, an exclamation mark would be a picture.
    else if (type === "text") text += escapeInline(content).replace(/!$/, "\\!");
    else text += markup;
  }
  const lines = text.split("\n").map((line) => escapeBeginning(line.trim()));
  const written = lines.filter((line) => line !== "").join("\\\n");
  return isHeading && written !== "" ? `**${written}**` : written;
}

/** A block of code between marks that it does not contain. */
function fence(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${code.trimEnd()}\n${marks}`;
}

// The dialect

/** A description with Airtable's markup as CommonMark has it, and with a guard before signs that are no markup. */
function toCommonMark(description: string): string {
  const lines = withNames(description).replaceAll(GUARD, "").replace(/\r\n?/g, "\n").split("\n");
  const inList = numbersOfLists(lines);
  const lastEnd = lines.findLastIndex((line) => FENCE_END.test(line));
  const written: string[] = [];
  let isCode = false;
  let last = "";
  for (const [at, typed] of lines.entries()) {
    if (isCode || at < lastEnd && FENCE.test(typed)) {
      written.push(typed);
      isCode = !isCode || !FENCE_END.test(typed);
      last = "";
      continue;
    }
    const line = inList.has(at) ? typed : typed.replace(NUMBER, `$1${GUARD}`);
    const isEmpty = line.trim() === "";
    const kind = kindOf(line);
    // An item goes on in the lines below it that are indented.
    const goesOn = last === "item" && kind === "text" && /^\s/.test(line);
    if (!isEmpty && !goesOn && last !== "" && last !== kind) written.push("");
    const guarded = kind === "quote" ? line : line.replace(SIGN, `$1${GUARD}`);
    written.push(
      kind === "rule" ? line : guarded
        .replace(SIGN_OF_ITEM, `$1${GUARD}`).replace(NUMBER_OF_ITEM, `$1${GUARD}`)
        .replace(CHECKBOX, (_, indent: string, mark: string) => indent + (mark === " " ? "☐" : "☑"))
        .replace(LOOSE_END, "$1$2$1$3")
        .replace(NO_TARGET, `]${GUARD}`),
    );
    last = isEmpty ? "" : goesOn ? "item" : kind;
  }
  return written.join("\n");
}

function kindOf(line: string): "rule" | "item" | "quote" | "text" {
  if (RULE.test(line)) return "rule";
  if (CHECKBOX.test(line)) return "text";
  if (BULLET.test(line) || NUMBERED.test(line)) return "item";
  return QUOTE.test(line) ? "quote" : "text";
}

/** The lines whose number follows that of another line, or is followed by it: alone, a number is a day or an amount. */
function numbersOfLists(lines: readonly string[]): ReadonlySet<number> {
  const inList = new Set<number>();
  const lastOf = new Map<string, { readonly at: number; readonly number: number }>();
  for (const [at, line] of lines.entries()) {
    const [, indent = "", digits] = NUMBERED.exec(line) ?? [];
    if (digits === undefined) continue;
    const before = lastOf.get(indent);
    if (before?.number === Number(digits) - 1) inList.add(before.at).add(at);
    lastOf.set(indent, { at, number: Number(digits) });
  }
  return inList;
}
