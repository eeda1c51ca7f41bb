/** From a document's markdown to HTML that stands under a policy without inline styles or scripts. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import MarkdownIt, { type Token } from "markdown-it";

/** A heading to which one can link. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A document to be shown. */
interface Rendered {
  readonly html: string;
  /** Those below the title, in order. */
  readonly headings: readonly Heading[];
}

/** What headings leave behind while a document is read. */
type Reading = { readonly headings: Heading[] };

hljs.registerLanguage("sh", bash);
hljs.registerLanguage("json", json);
hljs.registerLanguage("python", python);
hljs.registerLanguage("ts", typescript);

const LABELS: Readonly<Record<string, string>> = {
  sh: "Shell",
  json: "JSON",
  python: "Python",
  ts: "TypeScript",
};

const markdownIt = new MarkdownIt({ html: false });
const { rules } = markdownIt.renderer;

markdownIt.core.ruler.push("headings", ({ tokens, env }) => {
  const { headings } = env as Reading;
  for (const [at, token] of tokens.entries()) {
    const inline = tokens[at + 1];
    if (token.type !== "heading_open" || inline === undefined) continue;
    const text = textOf(inline);
    const id = uniqueId(text, headings);
    token.attrSet("id", id);
    headings.push({ level: Number(token.tag.slice(1)), id, text });
  }
});

rules["heading_close"] = (tokens, at) => {
  const [open, inline, close] = [tokens[at - 2], tokens[at - 1], tokens[at]];
  if (close?.tag === "h1" || open === undefined || inline === undefined) return "</h1>\n";
  const label = markdownIt.utils.escapeHtml(`Link to “${textOf(inline)}”`);
  const anchor = `<a class="anchor" href="#${open.attrGet("id")}" aria-label="${label}">#</a>`;
  return ` ${anchor}</${close?.tag}>\n`;
};

// What is wider than the text scrolls in a box of its own; the keyboard reaches it.
rules["table_open"] = (tokens, at) => {
  const number = tokens.slice(0, at + 1).filter(({ type }) => type === "table_open").length;
  return `<section class="scroll" aria-label="Table ${number}" tabindex="0"><table>`;
};
rules["table_close"] = () => "</table></section>\n";

rules["fence"] = (tokens, at) => {
  const group = tabsAt(tokens, at);
  if (group === null) return "";
  const [first] = group;
  return group.length === 1 && first !== undefined ? codeBox(first) : tabs(group, at);
};

/** Renders a document. */
export function renderDocument(markdown: string): Rendered {
  const env: Reading = { headings: [] };
  const html = markdownIt.render(markdown, env);
  return { html, headings: env.headings.filter(({ level }) => level > 1) };
}

/** A piece of a document under one heading, as plain text. */
export interface Section {
  /** "" for what is above the first heading below the title. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The sections of a document, for the search. */
export function sectionsOf(markdown: string): readonly Section[] {
  const env: Reading = { headings: [] };
  const sections: { id: string; title: string; text: string }[] = [];
  const tokens = markdownIt.parse(markdown, env);
  for (const [at, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const title = textOf(tokens[at + 1]);
      sections.push({ id: token.tag === "h1" ? "" : String(token.attrGet("id")), title, text: "" });
    } else if (tokens[at - 1]?.type !== "heading_open") {
      const section = sections.at(-1);
      const text = token.type === "inline" ? textOf(token) : token.content;
      if (section !== undefined && text !== "") section.text += `${text} `;
    }
  }
  return sections.map((section) => ({
    ...section,
    text: section.text.replace(/\s+/g, " ").trim(),
  }));
}

/** The text of an inline token as one reads it. */
function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) =>
    type === "softbreak" || type === "hardbreak" ? " " : content
  ).join("");
}

/** The words of a heading. A selector can name what begins with a letter alone, so all do. */
function uniqueId(text: string, headings: readonly Heading[]): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, "-").replace(/^-|-$/g, "");
  const name = /^\p{L}/u.test(words) ? words : `section-${words}`.replace(/-$/, "");
  const taken = new Set(headings.map(({ id }) => id));
  let id = name;
  for (let count = 2; taken.has(id); count++) id = `${name}-${count}`;
  return id;
}

/** Samples that follow each other are one in several languages; null for all but the first. */
function tabsAt(tokens: readonly Token[], at: number): readonly Token[] | null {
  const isSample = (token: Token | undefined) => token?.type === "fence" && token.info !== "json";
  const [token, before] = [tokens[at], tokens[at - 1]];
  if (token === undefined) return null;
  if (!isSample(token)) return [token];
  if (isSample(before)) return null;
  const group: Token[] = [];
  for (let next = at; next < tokens.length && isSample(tokens[next]); next++) {
    // `next` is in the list, and a sample.
    group.push(tokens[next] as Token);
  }
  return group;
}

/** Radio buttons choose the sample: no script is needed. */
function tabs(group: readonly Token[], at: number): string {
  const name = `sample-${at}`;
  const choices = group.map(({ info }, index) =>
    `<input type="radio" name="${name}" id="${name}-${index}"${index === 0 ? " checked" : ""}>` +
    `<label for="${name}-${index}">${labelOf(info)}</label>`
  ).join("");
  return `<div class="tabs">${choices}${group.map(codeBox).join("")}</div>\n`;
}

function codeBox({ info, content }: Token): string {
  const [language = ""] = info.split(" ");
  const code = hljs.getLanguage(language) === undefined
    ? markdownIt.utils.escapeHtml(content)
    : hljs.highlight(content, { language }).value;
  const box = `<pre class="scroll" tabindex="0" role="group" aria-label="${labelOf(info)}">`;
  // The frame is where the button to copy it stands.
  return `<div class="sample">${box}<code>${code}</code></pre></div>\n`;
}

/** What follows the language names the sample, else the language itself. */
function labelOf(info: string): string {
  const [language = "", ...label] = info.split(" ");
  const text = label.length === 0 ? LABELS[language] ?? "Text" : label.join(" ");
  return markdownIt.utils.escapeHtml(text);
}
