/** The keys of an account, by name. */

import type { KeyView } from "../../lib/members/mod.ts";
import { Ago, Moment } from "./moments.tsx";
import { dollars } from "./Spending.tsx";
import { Table } from "./Table.tsx";

/** Each key with its last use, what it may spend, and its end. */
export function KeyTable({ label, base, keys, now }: {
  readonly label: string;
  /** The address above those of the keys. */
  readonly base: string;
  readonly keys: readonly KeyView[];
  readonly now: number;
}) {
  return (
    <Table
      label={label}
      head={["Name", "Last used", "May spend", "Ends"]}
      rows={keys.map(({ id, name, lastUsedAt, endsAt, state, limitUsd, endpoints }) => [
        <a key="name" href={`${base}/${id}`}>{name}</a>,
        <Ago key="used" at={lastUsedAt} now={now} />,
        (limitUsd === null ? "the account’s limit" : `${dollars(limitUsd)} a day`) +
        (endpoints === null ? "" : ` on ${endpoints.join(", ")}`),
        state === "revoked" ? "revoked" : <Moment key="ends" at={endsAt} now={now} />,
      ])}
    />
  );
}
