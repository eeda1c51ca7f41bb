/** `/desk/record`: who changed what, when and why; of all accounts, or filtered. */

import { readRecord, readRecordQuery } from "../../components/desk/record.ts";
import { RecordPage } from "../../components/desk/RecordPage.tsx";
import { answerDesk, deskMethods } from "../../components/desk/desk.tsx";
import { searchOf } from "../../lib/platform/address.ts";

export const handler = deskMethods({
  async GET(request) {
    const { req, state } = request.ctx;
    const query = readRecordQuery(new URLSearchParams(searchOf(req.url)));
    const { changes, next } = await readRecord(state.services.kv, query);
    const children = <RecordPage {...{ query, changes, next }} now={state.services.now()} />;
    return await answerDesk(request, { title: "Record", children });
  },
});
