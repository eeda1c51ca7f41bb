/** `/follow`: calendars, feeds and the API to subscribe to, with the filters of the home page. */

import { methods, PublicError, searchOf } from "../lib/http/mod.ts";
import {
  allEvents,
  buildProgramme,
  FOLLOW,
  followHref,
  followMarkdown,
  isNarrow,
  parseSelection,
} from "../lib/site/mod.ts";
import type { State } from "../lib/service/mod.ts";
import { documentBasis } from "./(_shared)/documents.tsx";
import { Follow } from "./(_components)/Follow.tsx";
import { answerPage, catalogBasis } from "./(_components)/prepared.tsx";
import { SharingHead } from "./(_components)/SharingHead.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const { site } = ctx.state;
    const selection = parseSelection(searchOf(ctx.req.url));
    // The addresses are known even while the events cannot be read; only the number of events is then unknown.
    const basis = await catalogBasis(ctx.state).catch(onlyPublic);
    const counts = basis && buildProgramme(allEvents(basis.catalog, basis.today), selection);
    return await answerPage(ctx, basis ?? documentBasis(ctx.state), {
      address: followHref(selection),
      html: () => ({
        element: (
          <>
            <SharingHead
              title={`${FOLLOW.title} · ${site.name}`}
              description={FOLLOW.summary}
              path="/follow"
              isIndexed={!isNarrow(selection)}
            />
            <Follow selection={selection} counts={counts} />
          </>
        ),
      }),
      markdown: () => followMarkdown(selection, site, counts),
    });
  },
});

/** Null for an error that callers may see. @throws any other. */
function onlyPublic(error: unknown): null {
  if (error instanceof PublicError) return null;
  throw error;
}
