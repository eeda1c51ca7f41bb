/** `GET /up`: whether everything works, and what credit is left (proxy contract, section 4). */

import type { HealthRecord } from "../lib/health/report.ts";
import { methods } from "../lib/http/methods.ts";
import { createAnswer } from "../lib/http/representation.ts";
import type { State } from "../lib/state.ts";

export const handler = methods<State>({
  async GET({ state: { services: { health } } }) {
    return answerWith(await health.get());
  },
});

/** A report is sent many times in its half a minute. */
const prepared = new WeakMap<HealthRecord, Response>();

function answerWith(report: HealthRecord): Response {
  const known = prepared.get(report);
  if (known !== undefined) return known.clone();
  const fields = { "content-type": "application/json", "cache-control": "no-store" };
  const status = report.status === "up" ? 200 : 503;
  const response = createAnswer(JSON.stringify(report), fields, status);
  prepared.set(report, response);
  return response.clone();
}
