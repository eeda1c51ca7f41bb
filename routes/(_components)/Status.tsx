/** The status page: each check now and on each of the last 90 days, the events, and the jobs. */

import { Head } from "fresh/runtime";
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
  const isConfigured = check.state !== "unconfigured";
  return (
    <li class="row">
      <div class="check">
        <h3>{CHECK_LABELS[check.name]}</h3>
        <p class={`now ${isRed(check) ? "down" : check.state}`}>{checkInWords(check, report.at)}</p>
      </div>
      {adviceInWords(check, report).map((line) => <p key={line} class="advice">{line}</p>)}
      {isConfigured && <DaysChart check={check} />}
      {isConfigured && <p class="fine">{historyInWords(check)}</p>}
    </li>
  );
}

/** Units of the chart: the distance between two days, and the width and height of a day. */
const STEP = 10;
const WIDTH = 7;
const HEIGHT = 36;
/** The least height of a day's failures, and the height of a day without data. */
const LEAST = 10;
const STUB = 4;

/** A bar for each day, the oldest first, with its failures at the foot. */
function DaysChart({ check }: { check: CheckStatus }) {
  const days = check.days.toReversed();
  const label = `${CHECK_LABELS[check.name]}, ${historyInWords(check)}`;
  return (
    <svg
      class="days"
      viewBox={`0 0 ${days.length * STEP - (STEP - WIDTH)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.map((day, index) => {
        const state = dayState(day);
        const failed = state === "partly"
          ? Math.max(LEAST, Math.round(HEIGHT * day.failed / day.runs))
          : 0;
        const bar = state === "none" ? STUB : HEIGHT - failed;
        const place = { x: index * STEP, width: WIDTH };
        return (
          <g key={day.date}>
            {/* Without a key, upstream Fresh takes it for the page's title. */}
            <title key={day.date}>{`${day.date}: ${dayInWords(day)}`}</title>
            <rect
              {...place}
              y={state === "none" ? HEIGHT - STUB : 0}
              height={bar}
              class={state === "partly" ? "up" : state}
            />
            {failed > 0 && <rect {...place} y={HEIGHT - failed} height={failed} class="down" />}
          </g>
        );
      })}
    </svg>
  );
}
