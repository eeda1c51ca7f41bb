/** The facts of an event, each with its name. */

import { type FactPart, factsOf } from "../../lib/site/mod.ts";
import type { Event } from "../../lib/events/mod.ts";

/** A definition list of an event's facts; days are those of the zone. */
export function EventFacts({ event, timeZone }: { event: Event; timeZone: string }) {
  return (
    <dl class="facts">
      {factsOf(event, timeZone).map(({ name, parts }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{name === "For" ? <Chips parts={parts} /> : parts.map(part)}</dd>
        </div>
      ))}
    </dl>
  );
}

function part({ text, href, days }: FactPart) {
  if (days !== undefined) return <Dates {...days} words={text} />;
  if (href === undefined) return <bdi>{text}</bdi>;
  return (
    <a href={href} rel="noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}

function Chips({ parts }: { parts: readonly FactPart[] }) {
  return (
    <ul class="chips">
      {parts.map(({ text, href }) => (
        <li key={text}>
          <a class="chip" href={href}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

/** Both days for machines, one phrase for people. */
function Dates(
  { startDate, endDate, words }: { startDate: string; endDate: string | null; words: string },
) {
  return (
    <>
      <time dateTime={startDate}>{words}</time>
      {endDate !== null && endDate !== startDate && <time dateTime={endDate} hidden />}
    </>
  );
}
