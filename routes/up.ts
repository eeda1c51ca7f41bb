/** `GET /up`: whether everything works, and what credit is left (proxy contract, section 4). */

import { methods } from "../lib/http/methods.ts";
import type { State } from "../lib/state.ts";

export const handler = methods<State>({
  async GET({ state: { services: { health } } }) {
    const report = await health.get();
    return Response.json(report, {
      status: report.status === "up" ? 200 : 503,
      headers: { "cache-control": "no-store" },
    });
  },
});
