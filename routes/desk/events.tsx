/** `/desk/events`: how the events were read, the records that are left out, and a loss that was refused. */

import { recordLink } from "../../lib/events/airtable/table.ts";
import {
  effectInWords,
  LOST_COLUMN_REMEDY,
  lostColumnInWords,
} from "../../lib/events/reading/loss.ts";
import { groupProblems } from "../../lib/events/reading/record.ts";
import type { Snapshot } from "../../lib/events/keeping/snapshot.ts";
import { readFailure, type RefusedLoss } from "../../lib/events/keeping/failure.ts";
import { readStoredSnapshot } from "../../lib/events/keeping/stored.ts";
import { OutdatedError } from "../../lib/accounts/audit_log.ts";
import { unknownAction } from "../../lib/members/forms.ts";
import { acceptColumns, acceptRefusedLoss } from "../../lib/operate/accept_loss.ts";
import { readStatus } from "../../lib/operate/status/report.ts";
import { describeStatus } from "../../lib/operate/status/words.ts";
import type { Config } from "../../lib/platform/config/config.ts";
import { grouped } from "../../lib/platform/text.ts";
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
    const { problems = [], lost = [] } = snapshot ?? {};
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
          {failure === null && lost.length > 0 && <LostColumns lost={lost} wrong={wrong} />}
          <h2>Reading</h2>
          <ul>
            {[...status.events, ...status.reading].map((line) => <li key={line}>{line}</li>)}
          </ul>
          <ButtonForm action={ADDRESS} label="Read now" fields={{ action: "read" }} />
          <Problems {...{ problems, config }} />
        </>
      ),
    };
  },
  async POST(form) {
    const { events } = form.ctx.state.services;
    const action = form.fields.one("action");
    if (action === "accept") await acceptLoss(form);
    else if (action === "columns") await acceptLostColumns(form);
    else if (action !== "read") throw unknownAction();
    await events.notify();
    return doneAt(ADDRESS, form.signIn, action === "read" ? "events-read" : "events-accept");
  },
});

/** Accepts the loss that the form shows. @throws {OutdatedError} for another one. */
async function acceptLoss(form: Form) {
  const { fields, ctx: { state: { services: { kv } } } } = form;
  if (await acceptRefusedLoss(kv, fields.one("version"), originOf(form)) !== null) return;
  throw new OutdatedError(
    `Your form was about a read that would have ${
      fields.one("shown")
    }, which is not the one refused now.`,
  );
}

/** Accepts the loss of the columns that the form shows. @throws {OutdatedError} if none of them is lost. */
async function acceptLostColumns(form: Form) {
  const { fields, ctx: { state: { services: { kv } } } } = form;
  const shown = fields.one("version").split(",");
  if ((await acceptColumns(kv, shown, originOf(form))).length > 0) return;
  throw new OutdatedError("Your form was about columns that are not lost any more.");
}

/** A loss for which a read was refused, to accept; the verdict above says how many events it takes, and the remedy. */
function Loss({ loss, now, wrong }: Again & {
  readonly loss: RefusedLoss;
  readonly now: number;
}) {
  const { gone, leftOut, endless, examples, acceptedUntil, digest } = loss;
  const more = gone + leftOut + endless - examples.length;
  const shown = effectInWords(loss);
  return (
    <>
      <h2 id="loss">The read would have {shown}</h2>
      <ul>
        {examples.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi> <code>{id}</code>
          </li>
        ))}
        {more > 0 && <li>and {grouped(more)} more</li>}
      </ul>
      <p>Visitors still see the events of the read before it.</p>
      {(acceptedUntil === null || now >= acceptedUntil) && (
        <ButtonForm
          action={ADDRESS}
          label="Accept this loss"
          fields={{ action: "accept", version: digest, shown }}
        >
          <TextField {...WHY} wrong={wrong} />
        </ButtonForm>
      )}
    </>
  );
}

/** The columns without which the events are shown, to accept. */
function LostColumns({ lost, wrong }: Again & { readonly lost: NonNullable<Snapshot["lost"]> }) {
  return (
    <>
      <h2 id="columns">Columns that are gone</h2>
      <ul>{lost.map((column) => <li key={column.field}>{lostColumnInWords(column)}</li>)}</ul>
      <p>{LOST_COLUMN_REMEDY}.</p>
      <ButtonForm
        action={ADDRESS}
        label="Accept this loss"
        fields={{ action: "columns", version: lost.map(({ field }) => field).join() }}
      >
        <TextField {...WHY} wrong={wrong} />
      </ButtonForm>
    </>
  );
}

/** The records of one problem that are shown; further ones are counted. */
const SHOWN_RECORDS = 20;

function Problems({ problems, config }: {
  readonly problems: Snapshot["problems"];
  readonly config: Config;
}) {
  const label = "Cells that need repair";
  return (
    <>
      <h2>{label}</h2>
      {problems.length === 0 ? <p>Every record is shown whole.</p> : (
        <Table
          label={label}
          head={["Column", "Why", "Effect", "Records"]}
          rows={groupProblems(problems).map(({ field, reason, leftOut, recordIds }) => [
            field,
            reason,
            leftOut ? "left out" : "shown without it",
            <Records key="records" {...{ recordIds, config }} />,
          ])}
        />
      )}
    </>
  );
}

function Records({ recordIds, config }: {
  readonly recordIds: readonly string[];
  readonly config: Config;
}) {
  const more = recordIds.length - SHOWN_RECORDS;
  return (
    <>
      {recordIds.slice(0, SHOWN_RECORDS).map((id, at) => {
        const link = recordLink(config, id);
        return (
          <span key={id}>
            {at > 0 && ", "}
            {link === null ? id : <a href={link}>{id}</a>}
          </span>
        );
      })}
      {more > 0 && ` and ${grouped(more)} more`}
    </>
  );
}
