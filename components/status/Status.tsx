/** The status page: the verdict, each part now and on each of the last 90 days, and the jobs. */

import { Head } from "fresh/runtime";
import { DaysChart } from "../shared/DaysChart.tsx";
import { Table } from "../shared/Table.tsx";
import {
  adviceInWords,
  callsInWords,
  checkInWords,
  type CheckStatus,
  dayInWords,
  daysTable,
  dayState,
  eventsInWords,
  historyInWords,
  jobsTable,
  madeInWords,
  partGroups,
  stateColor,
  type StatusReport,
  verdictOf,
} from "../../lib/operate/mod.ts";
import { sheetStyle } from "../shared/sheets.tsx";

/** The page's content. */
export function Status({ report }: { report: StatusReport }) {
  const { jobs, at, calls } = report;
  const { state, sentence, others } = verdictOf(report);
  return (
    <article class="document status">
      <Head>{sheetStyle("status")}</Head>
      <h1>Status</h1>
      <div class={`verdict ${state}`}>
        <p class="lede">{sentence}</p>
        {others.length > 0 && <ul>{others.map((line) => <li key={line}>{line}</li>)}</ul>}
        <p class="fine">{madeInWords(report)}</p>
      </div>
      {partGroups(report).map(({ id, heading, about, parts }) => (
        <section key={id} aria-labelledby={id}>
          {id !== "events" && <h2 id={id}>{heading}</h2>}
          {about !== undefined && <p>{about}</p>}
          <ul class="checks">
            {parts.map((part) => (
              <Part
                key={part.label}
                {...part}
                headingId={id === "events" ? id : undefined}
                report={report}
              />
            ))}
          </ul>
          {id === "events" && (
            <ul>
              {eventsInWords(report).map((line) => <li key={line}>{line}</li>)}
            </ul>
          )}
        </section>
      ))}
      <h2 id="details">In detail</h2>
      {calls !== null && <p>{callsInWords(calls)}</p>}
      <details>
        <summary>Daily results</summary>
        <Table label="Daily results" {...daysTable(report)} />
      </details>
      <details>
        <summary>Background jobs</summary>
        {jobs === null
          ? <p>The jobs cannot be read right now.</p>
          : <Table label="Background jobs" {...jobsTable(jobs, at)} />}
      </details>
      <p class="fine">
        For machines: <a href="/up">/up</a>
      </p>
    </article>
  );
}

/** A part of the service; the events are a section of their own, with the id of its heading. */
function Part({ label, purpose, check, headingId, report }:
  & ReturnType<typeof partGroups>[number]["parts"][number]
  & { readonly headingId: string | undefined; readonly report: StatusReport }) {
  return (
    <li class="check">
      <div class="row">
        {headingId === undefined ? <h3>{label}</h3> : <h2 id={headingId}>{label}</h2>}
        <p class={check === null ? "now" : `now ${stateColor(check)}`}>
          {checkInWords(check, report.at)}
        </p>
      </div>
      <p class="quiet">{purpose}</p>
      {check !== null &&
        adviceInWords(check, report).map((line) => <p key={line} class="advice">{line}</p>)}
      {check !== null && check.state !== "unconfigured" && (
        <>
          <DaysChart
            label={`${label}, ${historyInWords(check)}`}
            height={HEIGHT}
            days={check.days.map((day) => ({
              title: `${day.date}: ${dayInWords(day)}`,
              bars: barsOf(day),
            }))}
          />
          <p class="fine">{historyInWords(check)}</p>
        </>
      )}
    </li>
  );
}

/** The height of a day in the chart, and the smallest height of its failures. */
const HEIGHT = 36;
const LEAST = 10;

/** The bars of a day, with its failures at the foot. */
function barsOf(day: CheckStatus["days"][number]) {
  const state = dayState(day);
  if (state !== "partly") return [{ y: 0, height: HEIGHT, class: state }];
  const failed = Math.max(LEAST, Math.round(HEIGHT * day.failed / day.runs));
  return [
    { y: 0, height: HEIGHT - failed, class: "up" },
    { y: HEIGHT - failed, height: failed, class: "down" },
  ];
}
