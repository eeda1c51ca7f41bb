/** The samples of the guide with a member's key in them. */

import type { Context } from "fresh";
import type { State } from "../../lib/service/mod.ts";
import { documentsOf } from "./documents.tsx";

/** The section of the guide whose samples are shown. */
const SECTION = /\n## A first response\n(?<text>[^]*?)\n## /;

/** How each language of the samples names the key. */
const PLACES = [/process\.env\.FOYER_KEY(?: \?\? "")?/g, /os\.environ\["FOYER_KEY"\]/g] as const;

/** The markdown of the samples, which tests run with every client. Keys are letters, digits and underscores. */
export async function samplesWithKey(ctx: Context<State>, key: string): Promise<string> {
  const guide = (await documentsOf(ctx)).find(({ name }) => name === "proxy");
  const text = SECTION.exec(guide?.markdown ?? "")?.groups?.["text"] ?? "";
  return PLACES.reduce((samples, place) => samples.replaceAll(place, `"${key}"`), text)
    .replaceAll("$FOYER_KEY", key);
}
