/** `/desk/events`: how the events were read, the records that are left out, and a loss that was refused. */

import {
  emptyColumns,
  readFailure,
  readStoredSnapshot,
  recordLink,
  type RefusedLoss,
  type Snapshot,
} from "../../lib/events/mod.ts";
import { OutdatedError } from "../../lib/proxy/mod.ts";
import { unknownAction } from "../../lib/members/mod.ts";
import { acceptRefusedLoss, describeStatus, readStatus } from "../../lib/operate/mod.ts";
import type { Config } from "../../lib/platform/config/config.ts";
import { deskMethods, OperatorsVerdict, originOf, WHY } from "../../components/desk/desk.tsx";
import { type Again, ButtonForm, TextField } from "../../components/shared/fields.tsx";
import { Moment } from "../../components/shared/moments.tsx";
import { doneAt, type Form } from "../../components/shared/private.tsx";
import { Table } from "../../components/shared/Table.tsx";

const ADDRESS = "/desk/events";

export const handler = deskMethods({
  async GET({ ctx: { state: { services: { kv, config, now, health } } } }, wrong) {
    const [snapshot, failure, current] = await Promise.all([
      // The status describes a damaged snapshot.
      readStoredSnapshot(kv).catch(() => null),
      readFailure(kv),
      health.get(),
    ]);
    const { events = [], problems = [] } = snapshot ?? {};
    // A renamed column is among them: no read fails for it.
    const empty = events.length === 0 ? [] : emptyColumns(events, config.AIRTABLE_FIELDS);
    const status = describeStatus(await readStatus({ kv, config, now: now(), current }));
    return {
      title: "Events",
      children: (
        <>
          {status.operators.state !== "up" && (
            <OperatorsVerdict operators={status.operators} href={null} />
          )}
          {failure?.loss === null && (
            <p>
              The read at <Moment at={failure.at} now={now()} /> (UTC) failed: {failure.reason}
            </p>
          )}
          {failure?.loss && <Loss loss={failure.loss} now={now()} wrong={wrong} />}
          <h2>Reading</h2>
          <ul>
            {[...status.events, ...status.reading].map((line) => <li key={line}>{line}</li>)}
          </ul>
          <ButtonForm action={ADDRESS} label="Read now" fields={{ action: "read" }} />
          <Problems {...{ problems, config }} />
          {empty.length > 0 && (
            <>
              <h2>Columns without a value</h2>
              <p>
                No event has a value in{" "}
                {empty.join(", ")}. If one of these was renamed in the store, restore its name or
                correct <code>AIRTABLE_FIELDS</code>.
              </p>
            </>
          )}
        </>
      ),
    };
  },
  async POST(form) {
    const { events } = form.ctx.state.services;
    const action = form.fields.one("action");
    if (action === "accept") await acceptLoss(form);
    else if (action !== "read") throw unknownAction();
    await events.notify();
    return doneAt(ADDRESS, form.signIn, `events-${action}`);
  },
});

/** Accepts the loss that the form shows. @throws {OutdatedError} for another one. */
async function acceptLoss(form: Form) {
  const { fields, ctx: { state: { services: { kv } } } } = form;
  if (await acceptRefusedLoss(kv, fields.one("version"), originOf(form)) !== null) return;
  throw new OutdatedError(
    `Your form was about the loss of ${
      fields.one("shown")
    } events, which is not the one refused now.`,
  );
}

/** A loss for which a read was refused, to accept; the verdict above says how many events it takes, and the remedy. */
function Loss({ loss, now, wrong }: Again & {
  readonly loss: RefusedLoss;
  readonly now: number;
}) {
  const { examples, acceptedUntil, digest } = loss;
  const more = loss.gone + loss.leftOut - examples.length;
  const fields = { action: "accept", version: digest, shown: lostInWords(loss) };
  return (
    <>
      <h2 id="loss">The read would lose {lostInWords(loss)} events</h2>
      <ul>
        {examples.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi> <code>{id}</code>
          </li>
        ))}
        {more > 0 && <li>and {more.toLocaleString("en")} more</li>}
      </ul>
      <p>Visitors still see the events of the read before it.</p>
      {(acceptedUntil === null || now >= acceptedUntil) && (
        <ButtonForm action={ADDRESS} label="Accept this loss" fields={fields}>
          <TextField {...WHY} wrong={wrong} />
        </ButtonForm>
      )}
    </>
  );
}

/** How many events a loss takes away. */
function lostInWords({ gone, leftOut, known }: RefusedLoss): string {
  return `${gone + leftOut} of ${known}`;
}

function Problems({ problems, config }: {
  readonly problems: Snapshot["problems"];
  readonly config: Config;
}) {
  const label = "Records that need repair";
  return (
    <>
      <h2>{label}</h2>
      {problems.length === 0 ? <p>All records can be shown.</p> : (
        <Table
          label={label}
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
