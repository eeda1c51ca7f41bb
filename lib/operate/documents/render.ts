/** Renders documents as HTML without inline styles or scripts, as the content security policy requires. */

import { escapeHtml } from "../../platform/escape.ts";
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
  html: "HTML",
  ini: "INI",
  nginx: "nginx",
  sql: "SQL",
};

/** The title of a link that opens in a tab of its own, as markdown has it: `[text](address "In a new tab")`. */
export const NEW_TAB = "In a new tab";

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

// On a narrow screen a row becomes a list, in which each cell begins with its column's name.
markdownIt.core.ruler.push("columns", ({ tokens }) => {
  let columns: string[] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "thead_open") columns = [];
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open") columns.push(textOf(tokens[at + 1]));
    if (token.type === "td_open") token.attrSet("data-column", columns[column++] ?? "");
  }
});

rules["heading_close"] = (tokens, at) => {
  const tag = tokens[at]?.tag;
  if (tag === "h1") return "</h1>\n";
  const label = escapeHtml(`Link to “${textOf(tokens[at - 1])}”`);
  const id = tokens[at - 2]?.attrGet("id");
  return ` <a class="anchor" href="#${id}" aria-label="${label}">#</a></${tag}>\n`;
};

// An address may wrap after a slash.
rules["code_inline"] = (tokens, at) => {
  const text = escapeHtml(tokens[at]?.content ?? "");
  return `<code>${text.replace(/(?<=\w\/)(?=[\w{])/g, "<wbr>")}</code>`;
};

// A table that is still too wide scrolls in its own box, which the keyboard can focus.
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
  return group.length > 1 ? tabs(group, at) : group.map((token) => codeBox(token)).join("");
};

rules["link_open"] = (tokens, at, options, _env, renderer) => {
  const token = tokens[at];
  if (token?.attrGet("title") === NEW_TAB) token.attrSet("target", "_blank");
  return renderer.renderToken(tokens, at, options);
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
interface Section {
  /** "" for the text above the second heading. */
  readonly id: string;
  readonly title: string;
  /** The first cells of its tables' rows and the code at the beginning of its lists' items, such as parameters. */
  readonly names: string;
  /** Everything but its samples. */
  readonly text: string;
  readonly samples: string;
}

/** The sections of a document, for the search. */
export function sectionsOf(markdown: string): readonly Section[] {
  const sections: { -readonly [Key in keyof Section]: string }[] = [];
  const tokens = markdownIt.parse(markdown, { headings: [] } satisfies Env);
  for (const [at, token] of tokens.entries()) {
    const [outer, before] = [tokens[at - 2]?.type, tokens[at - 1]?.type];
    if (before === "heading_open") continue;
    if (token.type === "heading_open") {
      const id = token.tag === "h1" ? "" : String(token.attrGet("id"));
      sections.push({ id, title: textOf(tokens[at + 1]), names: "", text: "", samples: "" });
      continue;
    }
    const section = sections.at(-1);
    // Column names mean nothing without their cells.
    if (section === undefined || before === "th_open") continue;
    if (token.type === "fence") section.samples += `${token.info} ${token.content} `;
    if (token.type !== "inline") continue;
    const text = textOf(token);
    const [start] = token.children ?? [];
    if (outer === "tr_open") section.names += `${text} `;
    else if (outer === "list_item_open" && start?.type === "code_inline") {
      section.names += `${start.content} `;
    }
    const end = before !== "td_open" ? "" : tokens[at + 2]?.type === "tr_close" ? ";" : ",";
    section.text += `${end === "" ? text : text.replace(/[.:;]$/, "")}${end} `;
  }
  return sections.map(({ id, title, names, text, samples }) => (
    { id, title, names: oneLine(names), text: oneLine(text), samples: oneLine(samples) }
  ));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The text of an inline token, without markup. */
function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) =>
    type === "softbreak" || type === "hardbreak" ? " " : content
  ).join("");
}

/** The anchor of a heading, unless an earlier heading has it. It begins with a letter, so `#anchor` is a selector. */
function anchorOf(text: string): string {
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
  return `<div class="tabs">${choices}${group.map((token) => codeBox(token, "")).join("")}</div>\n`;
}

function codeBox({ info, content }: Token, label = labelOf(info)): string {
  const [language = ""] = info.split(" ");
  const code = hljs.getLanguage(language) === undefined
    ? escapeHtml(content)
    : hljs.highlight(content, { language }).value;
  const box = `<pre class="scroll" tabindex="0" role="group" aria-label="${labelOf(info)}">`;
  // The copy button is placed in the head, so that it never covers the code.
  const head = `<div class="sample-head"><span>${label}</span></div>`;
  return `<div class="sample">${head}${box}<code>${code}</code></pre></div>\n`;
}

/** The label of a sample: the text after its language, else the language. */
function labelOf(info: string): string {
  const [language = "", ...label] = info.split(" ");
  const text = label.length === 0 ? LABELS[language] ?? "Text" : label.join(" ");
  return escapeHtml(text);
}
