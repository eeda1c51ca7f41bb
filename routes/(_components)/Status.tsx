/** The status page: each check now and on each of the last 90 days, the events, and the jobs. */

import { Head } from "fresh/runtime";
import { DaysChart } from "../../components/DaysChart.tsx";
import { Table } from "../../components/Table.tsx";
import {
  adviceInWords,
  CHECK_LABELS,
  checkInWords,
  type CheckStatus,
  dayInWords,
  daysTable,
  dayState,
  eventsInWords,
  headlines,
  historyInWords,
  jobsTable,
  type StatusReport,
} from "../../lib/status/mod.ts";
import { sheetStyle } from "./sheets.tsx";

/** The page's content. */
export function Status({ report }: { report: StatusReport }) {
  const { checks, events, jobs, at } = report;
  return (
    <article class="document status">
      <Head>{sheetStyle("status")}</Head>
      <h1>Status</h1>
      {headlines(report).map((line) => <p key={line} class="lede">{line}</p>)}
      <h2 id="checks">Checks</h2>
      <ul class="checks">
        {checks.map((check) => <Check key={check.name} check={check} report={report} />)}
      </ul>
      <details>
        <summary>Daily results</summary>
        <Table label="Daily results" {...daysTable(report)} />
      </details>
      <h2 id="events">Events</h2>
      <ul>
        {eventsInWords(events, at).map((line) => <li key={line}>{line}</li>)}
      </ul>
      <h2 id="jobs">Jobs</h2>
      {jobs === null
        ? <p>The jobs cannot be read right now.</p>
        : <Table label="Jobs" {...jobsTable(jobs, at)} />}
      <p class="fine">
        For machines: <a href="/up">/up</a>
      </p>
    </article>
  );
}

/** Events are required, so an unconfigured events store is red too; other providers are optional. */
function isRed({ name, state }: CheckStatus): boolean {
  return state === "down" || name === "events" && state === "unconfigured";
}

function Check({ check, report }: { check: CheckStatus; report: StatusReport }) {
  return (
    <li class="check">
      <div class="row">
        <h3>{CHECK_LABELS[check.name]}</h3>
        <p class={`now ${isRed(check) ? "down" : check.state}`}>{checkInWords(check, report.at)}</p>
      </div>
      {adviceInWords(check, report).map((line) => <p key={line} class="advice">{line}</p>)}
      {check.state !== "unconfigured" && (
        <>
          <DaysChart
            label={`${CHECK_LABELS[check.name]}, ${historyInWords(check)}`}
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

/** The height of a day in the chart, the least height of its failures, and its height without data. */
const HEIGHT = 36;
const LEAST = 10;
const STUB = 4;

/** The bars of a day, with its failures at the foot. */
function barsOf(day: CheckStatus["days"][number]) {
  const state = dayState(day);
  if (state === "none") return [{ y: HEIGHT - STUB, height: STUB, class: state }];
  if (state !== "partly") return [{ y: 0, height: HEIGHT, class: state }];
  const failed = Math.max(LEAST, Math.round(HEIGHT * day.failed / day.runs));
  return [
    { y: 0, height: HEIGHT - failed, class: "up" },
    { y: HEIGHT - failed, height: failed, class: "down" },
  ];
}
