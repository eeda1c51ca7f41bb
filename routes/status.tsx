/** `/status`: whether everything works, now and on each of the last 90 days. */

import {
  describeStatus,
  methods,
  readStatus,
  type Services,
  type StatusDescription,
  statusMarkdown,
} from "../lib/operate/mod.ts";
import { DocumentFrame } from "../components/documents/DocumentPage.tsx";
import { documentsOf, STATUS } from "../components/documents/documents.tsx";
import { answerPage } from "../components/shared/prepared.tsx";
import { Status } from "../components/status/Status.tsx";

/** How long a report is kept: as long as the results of the checks. */
const MAX_AGE_SECONDS = 30;

const reports = new WeakMap<
  Services,
  { readonly at: number; readonly report: Promise<StatusDescription> }
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
            <Status {...report} />
          </DocumentFrame>
        ),
      }),
      markdown: () => statusMarkdown(report, site.baseUrl),
    });
  },
});

/** The report, made at most once in 30 seconds. */
function reportOf(services: Services): Promise<StatusDescription> {
  const { kv, config, health } = services;
  const now = services.now();
  const known = reports.get(services);
  if (known !== undefined && Math.abs(now - known.at) < MAX_AGE_SECONDS * 1_000) {
    return known.report;
  }
  const report = health.get()
    .then((current) => readStatus({ kv, config, now, current })).then(describeStatus);
  reports.set(services, { at: now, report });
  return report;
}
