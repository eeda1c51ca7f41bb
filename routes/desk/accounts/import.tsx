/** `/desk/accounts/import`: makes accounts from a table, after it has shown what will happen. */

import { importRows, planImport, readImport } from "../../../lib/proxy/mod.ts";
import { digestOf } from "../../../lib/platform/digest.ts";
import {
  ImportPreview,
  ImportResult,
  ImportStart,
  type Plan,
} from "../../../components/desk/AccountsImport.tsx";
import { answerDesk, deskMethods, originOf } from "../../../components/desk/desk.tsx";

/** Some ten thousand rows, once as a file and once as a field. */
const MAX_FORM_BYTES = 2 * 1024 * 1024;
const TITLE = "Import accounts";

export const handler = deskMethods({
  maxFormBytes: MAX_FORM_BYTES,
  async GET(request) {
    const children = <ImportStart table="" mistakes={[]} />;
    return await answerDesk(request, { title: TITLE, children });
  },
  async POST(form) {
    const { fields, ctx: { state: { services: { kv } } } } = form;
    const table = fields.one("file") || fields.one("table");
    const { rows, mistakes } = readImport(table);
    if (rows.length === 0) {
      const found = mistakes.length > 0 ? mistakes : ["the table has no row below its head"];
      const children = <ImportStart table={table} mistakes={found} />;
      return await answerDesk(form, { title: TITLE, status: 400, children });
    }
    const plan = await planImport(kv, rows);
    const version = versionOfPlan(plan);
    const isImport = fields.one("action") === "import";
    if (!isImport || fields.one("version") !== version) {
      const children = <ImportPreview {...{ table, plan, version }} hasChanged={isImport} />;
      return await answerDesk(form, { title: TITLE, ...isImport && { status: 409 }, children });
    }
    const givesKeys = fields.one("keys") === "yes";
    const imported = await importRows(kv, rows, originOf(form), { givesKeys });
    return await answerDesk(form, { title: TITLE, children: <ImportResult imported={imported} /> });
  },
});

/** A digest of what an import will do, and of the limits that it replaces. */
function versionOfPlan(plan: Plan): string {
  const lines = plan.map(({ account, outcome }) => `${outcome} ${account?.limitNanoUsd ?? ""}`);
  return digestOf(lines.join("\n"));
}
