/** The record of changes: the desk's page of all, and the table that an account's page has, too. */

import { EVENTS } from "../../lib/operate/mod.ts";
import type { ChangeOfAccount } from "../../lib/proxy/mod.ts";
import { TextField } from "../shared/fields.tsx";
import { Moment } from "../shared/moments.tsx";
import { Table } from "../shared/Table.tsx";
import { membersInWords, type RecordQuery, whoInWords } from "./record.ts";

/** The page. */
export function RecordPage({ query, changes, next, now }: {
  readonly query: RecordQuery;
  readonly changes: readonly ChangeOfAccount[];
  /** The query string of the next page; null after the last. */
  readonly next: string | null;
  readonly now: number;
}) {
  const fields = [["account", "Account"], ["who", "By whom"], ["what", "What"]] as const;
  return (
    <>
      <p>
        Every change of an account, a key or the events is here for 400 days. Names are not: an
        entry says only that one changed.
      </p>
      <form class="fields" action="/desk/record">
        {fields.map(([name, label]) => (
          <TextField key={name} name={name} label={label} value={query[name]} wrong={undefined} />
        ))}
        <button type="submit">Filter</button>
      </form>
      {changes.length === 0
        ? <p>No such change{next !== null && " among the newest"}.</p>
        : <ChangeTable label="Changes" changes={changes} now={now} />}
      {next !== null && (
        <p>
          <a href={`/desk/record${next}`}>Older changes</a>
        </p>
      )}
    </>
  );
}

/** Who changed what, when and why. */
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
