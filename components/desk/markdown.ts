/** Pages of the desk as markdown: the facts of their HTML, which our own components made, without their forms. */

import { absolute, escapeText, link, table } from "../../lib/platform/markdown.ts";

/** What has no place in a text, or stands there a second time for the eye. None contains another of its name. */
const LEFT_OUT =
  /<(nav|form|style|script|title|svg|template)\b[^]*?<\/\1>|<(\w+)[^>]*(?: aria-hidden="true"| class="forms")[^]*?<\/\2>|<![^>]*>/g;
/** What begins a line, or ends one. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ "h1": "\n\n# ", "h2": "\n\n## ", "h3": "\n\n### ", "p": "\n\n", "figcaption": "\n\n" },
  ...{ "summary": "\n\n" },
  ...{ "ul": "\n\n", "/ul": "\n\n", "li": "\n- " },
  ...{ "dl": "\n\n", "/dl": "\n\n", "dt": "\n- ", "/dt": ": " },
};
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};

/** A page's own part as markdown; `baseUrl` goes before its links. */
export function toMarkdown(html: string, baseUrl: string): string {
  const text = html.replaceAll(LEFT_OUT, "")
    .replaceAll(/(?<=>)[^<]+/g, (raw) => {
      // Its spaces at both ends part it from its neighbours.
      const [, before, inner = "", after] = /^(\s*)([^]*?)(\s*)$/.exec(raw) ?? [];
      return (before && " ") + encode(escapeText(decode(inner))) + (after && " ");
    })
    .replaceAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_, href, label) => {
      // The text of a link is escaped once.
      const plain = inline(label).replaceAll(/\\(.)/g, "$1");
      return encode(link(plain, absolute(decode(href), baseUrl)));
    })
    .replaceAll(/<table>(.*?)<\/table>/g, (_, all) => {
      const [head = [], ...rows] = all.split("<tr>").slice(1).map((row: string) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = ""]) => inline(cell))
      );
      return `\n\n${encode(table(head, rows))}\n\n`;
    })
    .replaceAll(/<(\/?\w+)[^>]*>/g, (_, tag) => MARKS[tag] ?? "");
  return decode(text).replaceAll(/[^\S\n]*\n[^\S\n]*/g, "\n").replaceAll(/\n{3,}/g, "\n\n").trim() +
    "\n";
}

/** A text within one line, without its elements. */
function inline(html: string): string {
  return decode(html.replaceAll(/<[^>]*>/g, "")).trim();
}

function encode(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function decode(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
