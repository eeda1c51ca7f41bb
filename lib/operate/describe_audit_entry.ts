/** Entries of the audit log in words, for the command and for the desk. */

import type { AccountAuditEntry } from "../accounts/audit_log.ts";
import { exactUsd } from "../platform/money.ts";
import { formatMinute } from "../platform/time.ts";

/** Who made a change, what was done, and each value that changed, such as `limit: $4.00 → $20.00`. */
export function describeAuditEntry({ by, accountId, what, before, after }: AccountAuditEntry) {
  return {
    by: "reporter" in by
      ? `a ${by.reporter}, who reported a leak`
      : "command" in by
      ? by.user === null ? by.command : `${by.command} (${by.user})`
      : by.accountId === accountId
      ? "its owner"
      : by.accountId,
    what: what.join(", "),
    values: Object.entries(after).flatMap(([name, value]) => {
      if (before === null && value === null) return [];
      const then = before === null ? "" : `${valueInWords(name, before[name])} → `;
      return [`${labelOf(name)}: ${then}${valueInWords(name, value)}`];
    }).join("; "),
  };
}

/** `limitNanoUsd` as `limit`, `revokedAt` as `revoked at`. */
function labelOf(name: string): string {
  return name.replace(/NanoUsd$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueInWords(name: string, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "bigint") return exactUsd(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && /(?:At|^at|^until)$/.test(name)) return formatMinute(value);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([part, each]) => `${labelOf(part)} ${valueInWords(part, each)}`)
    .join(", ");
}
