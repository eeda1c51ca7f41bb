/** Renders documents as HTML without inline styles or scripts, as the content security policy requires. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import MarkdownIt, { type Token } from "markdown-it";

/** A heading with an anchor. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** The headings found while a document is parsed. */
type Env = { readonly headings: Heading[] };

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
  const { headings } = env as Env;
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
  const tag = tokens[at]?.tag;
  if (tag === "h1") return "</h1>\n";
  const label = markdownIt.utils.escapeHtml(`Link to “${textOf(tokens[at - 1])}”`);
  const id = tokens[at - 2]?.attrGet("id");
  return ` <a class="anchor" href="#${id}" aria-label="${label}">#</a></${tag}>\n`;
};

// A wide table scrolls in its own box, which the keyboard can focus.
rules["table_open"] = (tokens, at) => {
  const number = tokens.slice(0, at + 1).filter(({ type }) => type === "table_open").length;
  return `<section class="scroll" aria-label="Table ${number}" tabindex="0"><table>`;
};
rules["table_close"] = () => "</table></section>\n";

// Consecutive samples are one sample in several languages, rendered with the first of them.
rules["fence"] = (tokens, at) => {
  const isSample = (token?: Token) => token?.type === "fence" && token.info !== "json";
  if (isSample(tokens[at]) && isSample(tokens[at - 1])) return "";
  let end = at + 1;
  while (isSample(tokens[at]) && isSample(tokens[end])) end++;
  const group = tokens.slice(at, end);
  return group.length > 1 ? tabs(group, at) : group.map(codeBox).join("");
};

/** Renders a document; the headings are those below its title, in order. */
export function renderDocument(
  markdown: string,
): { readonly html: string; readonly headings: readonly Heading[] } {
  const env: Env = { headings: [] };
  const html = markdownIt.render(markdown, env);
  return { html, headings: env.headings.filter(({ level }) => level > 1) };
}

/** The text under one heading, without markup. */
export interface Section {
  /** "" for the text above the second heading. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The sections of a document, for the search. */
export function sectionsOf(markdown: string): readonly Section[] {
  const env: Env = { headings: [] };
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
  for (const section of sections) section.text = section.text.replace(/\s+/g, " ").trim();
  return sections;
}

/** The text of an inline token, without markup. */
function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) =>
    type === "softbreak" || type === "hardbreak" ? " " : content
  ).join("");
}

/** The anchor of a heading, unless an earlier heading has it. It begins with a letter, so `#anchor` is a selector. */
export function anchorOf(text: string): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, "-").replace(/^-|-$/g, "");
  return /^\p{L}/u.test(words) ? words : `section-${words}`.replace(/-$/, "");
}

function uniqueId(text: string, headings: readonly Heading[]): string {
  const name = anchorOf(text);
  const taken = new Set(headings.map(({ id }) => id));
  let id = name;
  for (let count = 2; taken.has(id); count++) id = `${name}-${count}`;
  return id;
}

/** Radio buttons choose the sample, so tabs need no script. */
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
  // The copy button is placed in this frame.
  return `<div class="sample">${box}<code>${code}</code></pre></div>\n`;
}

/** The label of a sample: the text after its language, else the language. */
function labelOf(info: string): string {
  const [language = "", ...label] = info.split(" ");
  const text = label.length === 0 ? LABELS[language] ?? "Text" : label.join(" ");
  return markdownIt.utils.escapeHtml(text);
}
