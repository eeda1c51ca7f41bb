/** The desk's page about the events. */

import {
  lossInWords,
  type ReadFailure,
  recordLink,
  type RefusedLoss,
  remedyInWords,
  type Snapshot,
} from "../../lib/events/mod.ts";
import type { StatusDescription } from "../../lib/operate/mod.ts";
import type { Config } from "../../lib/platform/config/config.ts";
import { ButtonForm } from "../shared/fields.tsx";
import { Moment } from "../shared/moments.tsx";
import { Table } from "../shared/Table.tsx";
import { OperatorsVerdict, WhyField } from "./DeskFrame.tsx";

/** The page. Times are epoch milliseconds. */
export function EventsDesk({ status, failure, problems, config, now }: {
  readonly status: StatusDescription;
  readonly failure: ReadFailure | null;
  readonly problems: Snapshot["problems"];
  readonly config: Config;
  readonly now: number;
}) {
  const loss = failure?.loss ?? null;
  return (
    <>
      {status.operators.state !== "up" && (
        <OperatorsVerdict operators={status.operators} href={null} />
      )}
      {failure !== null && (
        <p>
          The read at <Moment at={failure.at} now={now} /> (UTC) failed: {failure.reason}
        </p>
      )}
      {loss !== null && <Loss loss={loss} now={now} />}
      <h2>Reading</h2>
      <ul>
        {[...status.events, ...status.reading].map((line) => <li key={line}>{line}</li>)}
      </ul>
      <ButtonForm action="/desk/events" label="Read now" fields={{ action: "read" }} />
      <h2>Records that need repair</h2>
      {problems.length === 0 ? <p>All records can be shown.</p> : (
        <Table
          label="Records that need repair"
          head={["Record", "Column", "Why", "Effect", "Repair"]}
          rows={problems.map(({ recordId, field, reason, leftOut }) => {
            const link = recordLink(config, recordId);
            return [
              recordId,
              field,
              reason,
              leftOut ? "left out" : "shown in part",
              link === null ? "in the store" : <a key="link" href={link}>In Airtable</a>,
            ];
          })}
        />
      )}
    </>
  );
}

/** A loss for which a read was refused, to accept or to repair. */
function Loss({ loss, now }: { readonly loss: RefusedLoss; readonly now: number }) {
  const { examples, acceptedUntil, digest } = loss;
  const more = loss.gone + loss.leftOut - examples.length;
  return (
    <>
      <h2 id="loss">A read was refused</h2>
      <p>{lossInWords(loss)}. Visitors still see the events of the read before it.</p>
      <ul>
        {examples.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi> <code>{id}</code>
          </li>
        ))}
        {more > 0 && <li>and {more.toLocaleString("en")} more</li>}
      </ul>
      {acceptedUntil !== null && now < acceptedUntil
        ? (
          <p>
            An operator has accepted this loss until <Moment at={acceptedUntil} now={now} /> (UTC).
          </p>
        )
        : (
          <>
            <p>{remedyInWords(loss)}. Accept the loss only if it is intended.</p>
            <ButtonForm
              action="/desk/events"
              label="Accept this loss"
              fields={{ action: "accept", version: digest, shown: lostInWords(loss) }}
            >
              <WhyField wrong={undefined} />
            </ButtonForm>
          </>
        )}
    </>
  );
}

/** How many events a loss takes away. */
export function lostInWords({ gone, leftOut, known }: RefusedLoss): string {
  return `${gone + leftOut} of ${known}`;
}
