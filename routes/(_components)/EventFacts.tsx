/** The facts of an event, each with its name. */

import type { ComponentChildren } from "preact";
import type { Event } from "../../lib/events/model.ts";
import { EVERYTHING, selectionHref } from "../../lib/events/programme_query.ts";
import { dateInWords, datesInWords } from "../../lib/events/words.ts";
import { safeHref } from "./card.ts";

const FORMATS = {
  "in-person": "In person",
  "online": "Online",
  "both": "In person and online",
} as const;

/** A definition list of everything that is known; what is not known is left out. */
export function EventFacts({ event }: { event: Event }) {
  const { startDate, endDate, format, inPerson, projectTypes, slackChannel } = event;
  const website = safeHref(event.url);
  const chat = safeHref(event.slackUrl);
  const channel = slackChannel === null ? null : `#${slackChannel}`;
  return (
    <dl class="facts">
      <Fact name="When">
        <Dates start={startDate} end={endDate} words={datesInWords({ startDate, endDate })} />
      </Fact>
      {format && <Fact name="How">{FORMATS[format]}</Fact>}
      {inPerson?.location && (
        <Fact name="Where">
          <bdi>{inPerson.location}</bdi>
        </Fact>
      )}
      {inPerson?.start && (inPerson.start !== startDate || inPerson.end !== endDate) && (
        <Fact name="In person">
          <Dates
            start={inPerson.start}
            end={inPerson.end}
            words={datesInWords({ startDate: inPerson.start, endDate: inPerson.end })}
          />
        </Fact>
      )}
      {projectTypes.length > 0 && (
        <Fact name="For">
          <ul class="chips">
            {projectTypes.map((type) => (
              <li key={type}>
                <a class="chip" href={selectionHref({ ...EVERYTHING, projectTypes: [type] })}>
                  {type}
                </a>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {website && (
        <Fact name="Website">
          <a href={website} rel="noreferrer">{hostOf(website)}</a>
        </Fact>
      )}
      {(chat ?? channel) && (
        <Fact name="Chat">
          {chat
            ? (
              <a href={chat} rel="noreferrer">
                <bdi>{channel ?? hostOf(chat)}</bdi>
              </a>
            )
            : <bdi>{channel}</bdi>}
        </Fact>
      )}
      <Fact name="Announced">
        <time dateTime={event.announcedAt}>{dateInWords(event.announcedAt.slice(0, 10))}</time>
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Both days for machines, one phrase for people. */
function Dates({ start, end, words }: { start: string; end: string | null; words: string }) {
  return (
    <>
      <time dateTime={start}>{words}</time>
      {end !== null && end !== start && <time dateTime={end} hidden />}
    </>
  );
}

function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^www\./, "");
}
