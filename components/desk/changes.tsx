/** The record of changes as the desk shows it: who changed what, when and why. */

import { EVENTS } from "../../lib/operate/mod.ts";
import type { Change, ChangeOfAccount } from "../../lib/proxy/mod.ts";
import { formatUsd } from "../../lib/platform/money.ts";
import { formatMinute } from "../../lib/platform/time.ts";
import { Moment } from "../shared/moments.tsx";
import { Table } from "../shared/Table.tsx";

/** Changes as a table. */
export function ChangeTable({ label, changes, isOfOne = false, now }: {
  readonly label: string;
  readonly changes: readonly ChangeOfAccount[];
  /** Whether all are of the account whose page this is. */
  readonly isOfOne?: boolean;
  readonly now: number;
}) {
  return (
    <Table
      label={label}
      head={["Time (UTC)", "By whom", isOfOne ? "Key" : "Of", "What", "Before and after", "Why"]}
      rows={changes.map((change) => [
        <Moment key="at" at={change.at} now={now} />,
        <Who key="who" change={change} />,
        isOfOne ? change.keyId ?? "" : <Subject key="of" change={change} />,
        change.what.join(", "),
        membersInWords(change).join("; "),
        change.why ?? "",
      ])}
    />
  );
}

function Subject({ change: { accountId, keyId } }: { readonly change: ChangeOfAccount }) {
  return (
    <>
      <a href={accountId === EVENTS ? "/desk/events" : `/desk/accounts/${accountId}`}>
        {accountId}
      </a>
      {keyId !== undefined && <>, key {keyId}</>}
    </>
  );
}

function Who({ change }: { readonly change: ChangeOfAccount }) {
  const { by, accountId } = change;
  if (!("accountId" in by)) return <>{whoInWords(change)}</>;
  if (by.accountId === accountId) return <>its owner</>;
  return <a href={`/desk/accounts/${by.accountId}`}>{by.accountId}</a>;
}

/** Who made a change: an account's id, a command with its user, or who reported a leak. */
export function whoInWords({ by }: Pick<Change, "by">): string {
  if ("accountId" in by) return by.accountId;
  if ("reporter" in by) return `a ${by.reporter}, who reported a leak`;
  return by.user === null ? by.command : `${by.command} (${by.user})`;
}

/** What a change changed, a member each: `limit: $4.00 → $20.00`. */
function membersInWords({ before, after }: Pick<Change, "before" | "after">): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const now = valueInWords(name, value);
    if (before !== null) {
      return [`${labelOf(name)}: ${valueInWords(name, before[name])} → ${now}`];
    }
    return value === null ? [] : [`${labelOf(name)}: ${now}`];
  });
}

/** `limitNanoUsd` as `limit`, `revokedAt` as `revoked at`. */
function labelOf(name: string): string {
  return name.replace(/NanoUsd$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueInWords(name: string, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "bigint") return `$${formatUsd(value)}`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && /(?:At|^at|^until)$/.test(name)) return formatMinute(value);
  if (Array.isArray(value)) return value.map((each) => valueInWords("", each)).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([part, each]) => `${labelOf(part)} ${valueInWords(part, each)}`)
    .join(", ");
}
