/** `/desk`: the service today. */

import { describeStatus, readStatus } from "../../lib/operate/mod.ts";
import { getAccount } from "../../lib/proxy/mod.ts";
import { answerDesk, deskMethods } from "../../components/desk/desk.tsx";
import { Today } from "../../components/desk/Today.tsx";

export const handler = deskMethods({
  async GET(request) {
    const { kv, config, now, health, overview: { get } } = request.ctx.state.services;
    const [current, overview] = await Promise.all([health.get(), get()]);
    const status = describeStatus(await readStatus({ kv, config, now: now(), current }));
    const shown = [...overview.spenders, ...overview.refusals].flatMap(({ accountId }) =>
      accountId ?? []
    );
    const accounts = await Promise.all([...new Set(shown)].map((id) => getAccount(kv, id)));
    const names = new Map(accounts.flatMap((each) => each === null ? [] : [[each.id, each.name]]));
    const view = { status, health: current, overview, names, now: now() };
    const limit = config.SERVICE_DAILY_LIMIT_USD ?? null;
    const children = <Today {...view} limit={limit} />;
    return await answerDesk(request, { title: "Today", children });
  },
});
