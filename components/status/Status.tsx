/** The status page: the verdict, and each part now and on each of the last 90 days. */

import { DaysChart } from "../shared/DaysChart.tsx";
import { Table } from "../shared/Table.tsx";
import type { CheckStatus } from "../../lib/operate/status/report.ts";
import { dayInWords, dayState, type StatusDescription } from "../../lib/operate/status/words.ts";

/** The page's content. */
export function Status({ made, verdict, groups, events, days }: StatusDescription) {
  const { state, sentence, others } = verdict;
  return (
    <article class="document status">
      <h1>Status</h1>
      <div class={`verdict ${state}`}>
        <p class="lede">{sentence}</p>
        {others.length > 0 && <ul>{others.map((line) => <li key={line}>{line}</li>)}</ul>}
        <p class="fine">{made}</p>
      </div>
      {groups.map(({ id, heading, about, parts }) => (
        <section key={id} aria-labelledby={id}>
          {id !== "events" && <h2 id={id}>{heading}</h2>}
          {about !== "" && <p>{about}</p>}
          <ul class="checks">
            {parts.map((part) => (
              <Part key={part.label} {...part} headingId={id === "events" ? id : undefined} />
            ))}
          </ul>
          {id === "events" && events.length > 0 && (
            <ul>
              {events.map((line) => <li key={line}>{line}</li>)}
            </ul>
          )}
        </section>
      ))}
      <details>
        <summary>Daily results</summary>
        <Table label="Daily results" {...days} />
      </details>
      <p class="fine">
        For machines: <a href="/up">/up</a>
      </p>
    </article>
  );
}

/** A part of the service; the events are a section of their own, with the id of its heading. */
function Part({ label, purpose, state, now, note, history, days, headingId }:
  & StatusDescription["groups"][number]["parts"][number]
  & { readonly headingId: string | undefined }) {
  return (
    <li class="check">
      <div class="row">
        {headingId === undefined ? <h3>{label}</h3> : <h2 id={headingId}>{label}</h2>}
        <p class={state === null ? "now" : `now ${state}`}>{now}</p>
      </div>
      <p class="quiet">{purpose}</p>
      {note !== "" && <p class="advice">{note}</p>}
      {history !== "" && (
        <>
          <DaysChart
            label={`${label}, ${history}`}
            height={HEIGHT}
            days={days.map((day) => ({
              title: `${day.date}: ${dayInWords(day)}`,
              bars: barsOf(day),
            }))}
          />
          <p class="fine">{history}</p>
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
