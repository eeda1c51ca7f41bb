/** `/desk/setup`: the variables, the doctor's sentences, the providers, the look and the backup. */

import { examineParts, PROVIDERS, readBackupTime, tryProvider } from "../../../lib/operate/mod.ts";
import { PublicError } from "../../../lib/platform/http/errors.ts";
import { answerDesk, deskMethods, type DeskRequest } from "../../../components/desk/desk.tsx";
import { Setup, type SetupView } from "../../../components/desk/Setup.tsx";

export const handler = deskMethods({
  GET: (request) => answerSetup(request, null),
  /** Examines, and changes nothing: the page with the result is the response. */
  async POST(form) {
    const { services } = form.ctx.state;
    const asked = form.fields.one("examine");
    if (asked === "all") return await answerSetup(form, await examineParts(services));
    const provider = PROVIDERS.find((name) => name === asked);
    if (provider === undefined) {
      throw new PublicError("bad_request", "The form names nothing that can be examined.");
    }
    return await answerSetup(form, [await tryProvider(services, provider)]);
  },
});

async function answerSetup(
  request: DeskRequest,
  findings: SetupView["findings"],
): Promise<Response> {
  const { kv, config, now } = request.ctx.state.services;
  const backedUpAt = await readBackupTime(kv);
  const children = <Setup {...{ config, findings, backedUpAt, now: now() }} />;
  return await answerDesk(request, { title: "Setup", children });
}
