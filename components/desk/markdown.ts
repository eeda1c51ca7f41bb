/** Pages of the desk as markdown: the facts of their HTML, which our own components made, without their forms. */

import { absolute, blocks, escapeText, link, table } from "../../lib/platform/markdown.ts";

/** A tag with its attributes, or the text between two tags. Rendered attributes are in double quotes. */
const TOKEN = /<(\/?)([a-z][\w-]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>|<![^>]*>|[^<]+/gi;
/** What has no place in a text, or stands there a second time for the eye: forms with what belongs to them, the head. */
const LEFT_OUT = /^(?:nav|form|style|script|title|svg|template)$/;
const LEFT_OUT_ALSO = /aria-hidden| class="forms"/;
const EMPTY = /^(?:br|hr|img|input|link|meta|rect|path|wbr)$/;
/** The elements that are lines or blocks of their own. */
const BLOCK = /^(?:h[1-6]|p|li|dt|dd|summary|legend)$/;

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};

/** A page's own part as markdown; `baseUrl` goes before its links. */
export function toMarkdown(html: string, baseUrl: string): string {
  const found: string[] = [];
  /** The names of the open elements that are left out, and of those inside them. */
  const skipped: string[] = [];
  let rows: string[][] | null = null;
  /** The block that the text belongs to. */
  let name = "p";
  let text = "";
  let anchor: { readonly href: string; readonly before: string } | null = null;

  function endBlock() {
    const line = text.trim().replaceAll(/\s+/g, " ");
    const block = name;
    [text, name] = ["", "p"];
    if (line === "" || rows !== null) return;
    const mark = { li: "- ", dt: "- ", dd: "" }[block] ??
      (/^h\d$/.test(block) ? `${"#".repeat(Number(block[1]))} ` : "");
    const isNext = block === "li" || block === "dt";
    const last = found.at(-1);
    if (block === "dd" && last !== undefined) found[found.length - 1] = `${last}: ${line}`;
    else if (isNext && last?.startsWith("- ")) found[found.length - 1] = `${last}\n${mark}${line}`;
    else found.push(mark + line);
  }

  for (const [token, close, tag = "", attributes = ""] of html.matchAll(TOKEN)) {
    const element = tag.toLowerCase();
    if (skipped.length > 0) {
      if (element !== "" && !EMPTY.test(element)) {
        if (close === "/") skipped.pop();
        else skipped.push(element);
      }
    } else if (element === "") {
      if (!token.startsWith("<!")) text += inline(decode(token));
    } else if (close !== "/" && (LEFT_OUT.test(element) || LEFT_OUT_ALSO.test(attributes))) {
      if (!EMPTY.test(element)) skipped.push(element);
    } else if (element === "table") {
      endBlock();
      if (close === "/" && rows !== null) {
        const [head = [], ...body] = rows;
        rows = null;
        found.push(table(head, body));
      } else rows = [];
    } else if (rows !== null && /^t[rhd]$/.test(element)) {
      if (element === "tr" && close !== "/") rows.push([]);
      if (element !== "tr" && close === "/") {
        rows.at(-1)?.push(text.trim().replaceAll(/\s+/g, " "));
        text = "";
      }
    } else if (element === "a") {
      const [, href = ""] = / href="([^"]*)"/.exec(attributes) ?? [];
      if (close !== "/") {
        anchor = { href: absolute(decode(href), baseUrl), before: text };
        text = "";
      } else if (anchor !== null) {
        // The text of a link is escaped once.
        text = anchor.before + link(text.replaceAll(/\\(.)/g, "$1"), anchor.href);
        anchor = null;
      }
    } else if (BLOCK.test(element)) {
      if (rows !== null) continue;
      if (close === "/") endBlock();
      else {
        endBlock();
        name = element;
      }
    }
  }
  endBlock();
  return blocks(...found);
}

/** A text between two elements, whose spaces at both ends count. */
function inline(text: string): string {
  const [start = "", end = ""] = [/^\s/.exec(text)?.[0], /\s$/.exec(text)?.[0]];
  return start + escapeText(text) + end;
}

function decode(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
