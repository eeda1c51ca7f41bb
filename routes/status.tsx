/** `/status`: whether everything works, now and on each of the last 90 days. */

import type { Services } from "../lib/service/mod.ts";
import { readStatus, statusMarkdown, type StatusReport } from "../lib/status/mod.ts";
import { DocumentFrame } from "./(_components)/DocumentPage.tsx";
import { documentsOf, STATUS } from "./(_shared)/documents.tsx";
import { answerPage } from "./(_components)/prepared.tsx";
import { Status } from "./(_components)/Status.tsx";
import { methods } from "./(_shared)/methods.ts";

/** How long a report is kept: as long as the results of the checks. */
const MAX_AGE_SECONDS = 30;

const reports = new WeakMap<
  Services,
  { readonly at: number; readonly report: Promise<StatusReport> }
>();

export const handler = methods({
  async GET(ctx) {
    const { services, site } = ctx.state;
    const report = await reportOf(services);
    const documents = await documentsOf(ctx);
    const basis = { owner: report, edition: "", maxAgeSeconds: MAX_AGE_SECONDS };
    return await answerPage(ctx, basis, {
      address: STATUS.address,
      html: () => ({
        element: (
          <DocumentFrame {...STATUS} documents={documents}>
            <Status report={report} />
          </DocumentFrame>
        ),
      }),
      markdown: () => statusMarkdown(report, site.baseUrl),
    });
  },
});

/** The report, made at most once in 30 seconds. */
function reportOf(services: Services): Promise<StatusReport> {
  const { kv, config, health } = services;
  const now = services.now();
  const known = reports.get(services);
  if (known !== undefined && Math.abs(now - known.at) < MAX_AGE_SECONDS * 1_000) {
    return known.report;
  }
  const report = health.get().then((current) => readStatus({ kv, config, now, current }));
  reports.set(services, { at: now, report });
  return report;
}
