/** `/status`: whether everything works, now and on each of the last 90 days. */

import type { HealthRecord } from "../lib/operate/health/report.ts";
import { methods } from "../lib/operate/routes/methods.ts";
import type { Services } from "../lib/operate/services.ts";
import { statusMarkdown } from "../lib/operate/status/markdown.ts";
import { readStatus } from "../lib/operate/status/report.ts";
import { describeStatus } from "../lib/operate/status/words.ts";
import { DocumentFrame } from "../components/documents/DocumentPage.tsx";
import { documentsOf, STATUS } from "../components/documents/documents.tsx";
import { answerPage } from "../components/shared/kept_pages.tsx";
import { digestOf } from "../lib/platform/digest.ts";
import { memoize } from "../lib/platform/memoize.ts";
import { Status } from "../components/status/Status.tsx";

/** How long a report is kept: as long as the results of the checks. */
const MAX_AGE_SECONDS = 30;

const reportsOf = memoize(({ kv, config, now }: Services) =>
  memoize(async (current: HealthRecord) => {
    const report = describeStatus(await readStatus({ kv, config, now: now(), current }));
    return { report, contentVersion: digestOf(JSON.stringify(report)) };
  })
);

export const handler = methods({
  async GET(ctx) {
    const { services, site } = ctx.state;
    const { report, contentVersion } = await reportsOf(services)(await services.health.get());
    const { listed } = await documentsOf(ctx);
    const scope = { contentVersion, maxAgeSeconds: MAX_AGE_SECONDS };
    return await answerPage(ctx, scope, {
      address: STATUS.address,
      html: () => ({
        element: (
          <DocumentFrame {...STATUS} documents={listed}>
            <Status {...report} />
          </DocumentFrame>
        ),
      }),
      markdown: () => statusMarkdown(report, site.baseUrl),
    });
  },
});
