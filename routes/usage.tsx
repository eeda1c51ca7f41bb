/** `/usage`: a member pastes a key and sees what was spent with it. */

import { asset, Head } from "fresh/runtime";
import CopyButtons from "../islands/CopyButtons.tsx";
import UsageView from "../islands/UsageView.tsx";
import { renderDocument } from "../lib/documents/render.ts";
import { methods } from "../lib/http/methods.ts";
import type { State } from "../lib/state.ts";
import { DocumentFrame } from "./(_components)/DocumentPage.tsx";
import { documentBasis, documentsOf, USAGE } from "./(_components)/documents.tsx";
import { answerPage } from "./(_components)/prepared.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const { BASE_URL: baseUrl } = ctx.state.services.config;
    const documents = await documentsOf(ctx);
    const { markdown, ...page } = documents.find(({ name }) => name === USAGE.name) ?? USAGE;
    return await answerPage(ctx, documentBasis(ctx.state), {
      address: page.address,
      html: () => ({
        element: (
          <DocumentFrame {...page} documents={documents} baseUrl={baseUrl}>
            <Head>
              <link key="usage-css" rel="stylesheet" href={asset("/usage.css")} />
            </Head>
            <article class="document usage">
              <div
                // deno-lint-ignore react-no-danger -- our own text, in which HTML counts as text
                dangerouslySetInnerHTML={{ __html: renderDocument(markdown).html }}
              />
              <CopyButtons />
              <UsageView />
            </article>
          </DocumentFrame>
        ),
      }),
      markdown: () => markdown,
    });
  },
});
