/** The refused requests of an account, and its last ones. */

import type { AccountView } from "../../lib/members/view.ts";
import { toUsd } from "../../lib/platform/money.ts";
import { grouped } from "../../lib/platform/text.ts";
import { Moment } from "./moments.tsx";
import { dollars } from "./Spending.tsx";
import { Table } from "./Table.tsx";

/** The refused requests and the last requests; nothing if there are none. */
export function Requests({ view: { requests, refusals, now } }: { readonly view: AccountView }) {
  return (
    <>
      {refusals.length > 0 && (
        <>
          <h2 id="refused">Refused requests</h2>
          <p>They cost nothing. Those of the last two weeks are kept, without their content.</p>
          <Table
            label="Refused requests"
            head={["Last", "Endpoint", "Key", "Why", "How often"]}
            rows={refusals.map(({ lastAt, endpoint, key, reason, requests }) => [
              <Moment key="at" at={lastAt} now={now} />,
              endpoint ?? "several",
              key ?? "several",
              reason,
              grouped(requests),
            ])}
          />
        </>
      )}
      {requests.length > 0 && (
        <>
          <h2 id="requests">Last requests</h2>
          <Table
            label="Last requests"
            hasLines
            head={["Time", "Endpoint", "Cost", "Status", "Key", "Duration"]}
            rows={requests.map(({ at, endpoint, key, cost, status, durationMs, day, reason }) => [
              <Moment key="at" at={at} now={now} />,
              reason === undefined ? endpoint : `correction of ${day}: ${reason}`,
              dollars(toUsd(cost)),
              ...reason !== undefined ? ["", "", ""] : [
                status ?? "unknown",
                key,
                durationMs === null ? "unknown" : `${grouped(durationMs)} ms`,
              ],
            ])}
          />
        </>
      )}
    </>
  );
}
