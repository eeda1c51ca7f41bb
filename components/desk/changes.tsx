/** The audit log as the desk shows it: who changed what, when and why. */

import { EVENTS } from "../../lib/operate/accept_loss.ts";
import { describeAuditEntry } from "../../lib/operate/describe_audit_entry.ts";
import type { AccountAuditEntry } from "../../lib/accounts/audit_log.ts";
import { Moment } from "../shared/moments.tsx";
import { Table } from "../shared/Table.tsx";

/** Changes as a table. */
export function ChangeTable({ label, changes, isOfOne = false, now }: {
  readonly label: string;
  readonly changes: readonly AccountAuditEntry[];
  /** Whether all are of the account whose page this is. */
  readonly isOfOne?: boolean;
  readonly now: number;
}) {
  return (
    <Table
      label={label}
      head={["Time (UTC)", "By whom", isOfOne ? "Key" : "Of", "What", "Before and after", "Why"]}
      rows={changes.map((change) => {
        const { accountId, keyId = "", at, why } = change;
        const { by, what, values } = describeAuditEntry(change);
        const key = isOfOne || keyId === "" ? keyId : `, key ${keyId}`;
        return [
          <Moment key="at" at={at} now={now} />,
          by.startsWith("acc_") ? linkTo(by) : by,
          <span key="of">{!isOfOne && linkTo(accountId)}{key}</span>,
          what,
          values,
          why ?? "",
        ];
      })}
    />
  );
}

/** A link to the page of an account, or of the events. */
function linkTo(accountId: string) {
  const page = accountId === EVENTS ? "/desk/events" : `/desk/accounts/${accountId}`;
  return <a key={accountId} href={page}>{accountId}</a>;
}
