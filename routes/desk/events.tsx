/** `/desk/events`: how the events were read, the records that are left out, and a loss that was refused. */

import { readFailure, readStoredSnapshot } from "../../lib/events/mod.ts";
import { acceptRefusedLoss, describeStatus, readStatus } from "../../lib/operate/mod.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import {
  answerConflict,
  answerDesk,
  type DeskForm,
  deskMethods,
  originOf,
  seeDesk,
} from "../../components/desk/desk.tsx";
import { EventsDesk, lostInWords } from "../../components/desk/EventsDesk.tsx";

const DONE = {
  read: "The table will be read within a minute.",
  accept: "The loss is accepted for an hour: the next read, within about a minute, applies it.",
};

export const handler = deskMethods({
  async GET(request) {
    const { kv, config, now, health } = request.ctx.state.services;
    const [snapshot, failure, current] = await Promise.all([
      // The status describes a damaged snapshot.
      readStoredSnapshot(kv).catch(() => null),
      readFailure(kv),
      health.get(),
    ]);
    const status = describeStatus(await readStatus({ kv, config, now: now(), current }));
    const problems = snapshot?.problems ?? [];
    const children = <EventsDesk {...{ status, failure, problems, config, now: now() }} />;
    return await answerDesk(request, { title: "Events", children, done: DONE });
  },
  async POST(form) {
    switch (form.fields.one("action")) {
      case "read":
        await form.ctx.state.services.events.notify();
        return seeDesk("/desk/events", "read");
      case "accept":
        return await acceptLoss(form);
      default:
        throw new PublicError("bad_request", "The form names no known action.");
    }
  },
});

/** Accepts the loss that the form shows, and no other. */
async function acceptLoss(form: DeskForm): Promise<Response> {
  const { fields, ctx: { state: { services: { kv, events } } } } = form;
  const origin = originOf(form);
  const accepted = await acceptRefusedLoss(kv, fields.one("version"), origin);
  if (accepted !== null) {
    await events.notify();
    return seeDesk("/desk/events", "accept");
  }
  const { loss = null } = await readFailure(kv) ?? {};
  const current = loss === null ? "none is refused" : lostInWords(loss);
  return await answerConflict(form, [["Lost events", fields.one("shown"), current]]);
}
