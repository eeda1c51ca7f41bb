/** The origin of what tests change, for the audit log. */

import type { Origin } from "../../lib/accounts/audit_log.ts";

/** A change by the command `test`; by default at the time at which the worlds of the tests begin. */
export function madeBy(at = Date.parse("2026-11-21T12:00:00Z")): Origin {
  return { at, by: { command: "test", user: null } };
}
