/**
 * The style sheets, as text in the pages that they belong to: a page is drawn as soon as it has come, without
 * asking for anything more. Compressed they are a few kilobytes, and each page needs two or three.
 */

import { asset } from "fresh/runtime";
import type { VNode } from "preact";
import documents from "../../styles/documents.css" with { type: "text" };
import events from "../../styles/events.css" with { type: "text" };
import site from "../../styles/site.css" with { type: "text" };
import status from "../../styles/status.css" with { type: "text" };
import tokens from "../../styles/tokens.css" with { type: "text" };
import usage from "../../styles/usage.css" with { type: "text" };
import { FACE } from "./face.tsx";

const SHEETS = {
  site: withoutNotes(tokens + site),
  events: withoutNotes(events),
  documents: withoutNotes(documents),
  status: withoutNotes(status),
  usage: withoutNotes(usage),
} as const;

/** A sheet as an element of the page's head. */
export function sheetStyle(name: keyof typeof SHEETS): VNode {
  return (
    <style
      key={`${name}-css`}
      // deno-lint-ignore react-no-danger -- our own file
      dangerouslySetInnerHTML={{ __html: textOf(SHEETS[name]) }}
    />
  );
}

/** The sheets that stand in a page, by their whole text. */
export function sheetsIn(html: string): readonly string[] {
  return Object.values(SHEETS).map(textOf).filter((text) => html.includes(`>${text}</style>`));
}

/** A sheet with the face's address of this build, so that browsers keep the face. */
function textOf(sheet: string): string {
  return sheet.replace(`"${FACE}"`, `"${asset(FACE)}"`);
}

/** What a browser reads of a sheet; no text in ours looks like a comment. */
function withoutNotes(css: string): string {
  return css.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/\s*\n\s*/g, "\n").trim();
}
