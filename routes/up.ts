/** `GET /up`: whether everything works, and what credit is left (proxy contract, section 4). */

import type { HealthRecord } from "../lib/health/report.ts";
import { createComplete } from "../lib/http/complete.ts";
import { methods } from "../lib/http/methods.ts";
import type { State } from "../lib/state.ts";

export const handler = methods<State>({
  async GET({ state: { services: { health }, requestId } }) {
    const report = await health.get();
    return createComplete(jsonOf(report), {
      status: report.status === "up" ? 200 : 503,
      headers: { "content-type": "application/json", "cache-control": "no-store" },
      requestId,
    });
  },
});

/** A report is sent many times in its half a minute. */
const written = new WeakMap<HealthRecord, string>();

function jsonOf(report: HealthRecord): string {
  const known = written.get(report);
  if (known !== undefined) return known;
  const json = JSON.stringify(report);
  written.set(report, json);
  return json;
}
