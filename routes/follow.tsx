/** `/follow`: calendars, feeds and the API to subscribe to, with the filters of the home page. */

import { methods, searchOf } from "../lib/http/mod.ts";
import { FOLLOW, followHref, followMarkdown, isNarrow, parseSelection } from "../lib/site/mod.ts";
import type { State } from "../lib/state.ts";
import { documentBasis } from "./(_shared)/documents.tsx";
import { Follow } from "./(_components)/Follow.tsx";
import { answerPage } from "./(_components)/prepared.tsx";
import { SharingHead } from "./(_components)/SharingHead.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const { BASE_URL: baseUrl } = ctx.state.services.config;
    const selection = parseSelection(searchOf(ctx.req.url));
    return await answerPage(ctx, documentBasis(ctx.state), {
      address: followHref(selection),
      html: () => ({
        element: (
          <>
            <SharingHead
              title={`${FOLLOW.title} · Foyer`}
              description={FOLLOW.summary}
              url={`${baseUrl}/follow`}
              isIndexed={!isNarrow(selection)}
            />
            <Follow selection={selection} baseUrl={baseUrl} />
          </>
        ),
      }),
      markdown: () => followMarkdown(selection, baseUrl),
    });
  },
});
