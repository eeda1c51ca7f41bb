/** The desk's page with the record of changes. */

import { EVENTS } from "../../lib/operate/mod.ts";
import type { ChangeOfAccount } from "../../lib/proxy/mod.ts";
import { Table } from "../shared/Table.tsx";
import { membersInWords, type RecordQuery, whoInWords } from "./record.ts";

/** The page. */
export function RecordPage({ query, changes, next }: {
  readonly query: RecordQuery;
  readonly changes: readonly ChangeOfAccount[];
  /** The query string of the next page; null after the last. */
  readonly next: string | null;
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
          <label key={name}>
            {label}
            <input name={name} value={query[name]} autoComplete="off" />
          </label>
        ))}
        <button type="submit">Filter</button>
      </form>
      {changes.length === 0 ? <p>No such change{next !== null && " among the newest"}.</p> : (
        <Table
          label="Changes"
          head={["Time (UTC)", "By whom", "Of", "What", "Before and after", "Why"]}
          rows={changes.map((change) => [
            new Date(change.at).toISOString().slice(0, 19).replace("T", " "),
            <Who key="who" change={change} />,
            <span key="of">
              <a href={subjectHref(change)}>{change.accountId}</a>
              {change.keyId !== undefined && <>, key {change.keyId}</>}
            </span>,
            change.what.join(", "),
            membersInWords(change).join("; "),
            change.why ?? "",
          ])}
        />
      )}
      {next !== null && (
        <p>
          <a href={`/desk/record${next}`}>Older changes</a>
        </p>
      )}
    </>
  );
}

function subjectHref({ accountId }: ChangeOfAccount): string {
  return accountId === EVENTS ? "/desk/events" : `/desk/accounts/${accountId}`;
}

function Who({ change }: { readonly change: ChangeOfAccount }) {
  const { by, accountId } = change;
  if (!("accountId" in by)) return <>{whoInWords(change)}</>;
  if (by.accountId === accountId) return <>its owner</>;
  return <a href={`/desk/accounts/${by.accountId}`}>{by.accountId}</a>;
}
