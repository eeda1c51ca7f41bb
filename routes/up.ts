/** `GET /up`: whether everything works, and what credit is left (proxy contract, section 4). */

import { createComplete } from "../lib/http/complete.ts";
import { methods } from "../lib/http/methods.ts";
import type { State } from "../lib/state.ts";

export const handler = methods<State>({
  async GET({ state: { services: { health }, requestId } }) {
    const report = await health.get();
    return createComplete(JSON.stringify(report), {
      status: report.status === "up" ? 200 : 503,
      headers: [["content-type", "application/json"], ["cache-control", "no-store"]],
      requestId,
    });
  },
});
