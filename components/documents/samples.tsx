/** The samples of the guide, with a member's key in them. */

import type { Context } from "fresh";
import type { VNode } from "preact";
import { renderDocument } from "../../lib/operate/documents/render.ts";
import type { State } from "../../lib/operate/state.ts";
import { inner } from "./DocumentPage.tsx";
import { documentsOf } from "./documents.tsx";

/** The section of the guide whose samples are shown. */
const SECTION = /\n## A first response\n(?<text>[^]*?)\n## /;

/** How each language of the samples names the key. */
const PLACES = [/process\.env\.FOYER_KEY(?: \?\? "")?/g, /os\.environ\["FOYER_KEY"\]/g] as const;

/**
 * The samples, which tests run with every client. The place of the key is marked.
 *
 * @param key its text, or what stands for it: letters, digits, underscores and ellipses.
 * @param isShort whether the samples of one client suffice.
 */
export async function keySamples(
  ctx: Context<State>,
  key: string,
  { isShort = false }: { readonly isShort?: boolean } = {},
): Promise<VNode> {
  const guide = (await documentsOf(ctx)).all.find(({ name }) => name === "proxy");
  const section = SECTION.exec(guide?.markdown ?? "")?.groups?.["text"] ?? "";
  const text = isShort ? section.split(/^(?=### )/m)[1] ?? section : section;
  const markdown = PLACES.reduce((samples, place) => samples.replaceAll(place, `"${key}"`), text)
    .replaceAll("$FOYER_KEY", key);
  const { html } = renderDocument(markdown);
  return <div class="document" {...inner(html.replaceAll(key, `<mark>${key}</mark>`))} />;
}

/** One line to copy, in the box of a sample. */
export function CopiedLine({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div
      class="document"
      {...inner(renderDocument(`\`\`\`text ${label}\n${text}\n\`\`\`\n`).html)}
    />
  );
}
