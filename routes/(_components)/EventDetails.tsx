/** The page of an event: a poster on top, then its description, its facts and its neighbours. */

import CopyButtons from "../../islands/CopyButtons.tsx";
import Days from "../../islands/Days.tsx";
import {
  type FactPart,
  factsOf,
  NO_DESCRIPTION,
  requirementsOf,
  shortName,
  subscribeHref,
} from "../../lib/site/mod.ts";
import { type Card, nameSize } from "../(_shared)/card.ts";
import { Art, CardFacts, CardTop, When } from "./EventCard.tsx";
import { EventStyles } from "./sheets.tsx";

interface EventDetailsProps {
  readonly card: Card;
  readonly previous: Card | null;
  readonly next: Card | null;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
  readonly looks: string;
  readonly baseUrl: string;
}

/** The page's content. */
export function EventDetails(
  { card, previous, next, today, timeZone, looks, baseUrl }: EventDetailsProps,
) {
  const { event } = card;
  const calendar = `${card.href}.ics`;
  return (
    <>
      <EventStyles looks={looks} />
      <Days today={today} timeZone={timeZone} />
      <article class="event full">
        <Hero card={card} today={today} />
        <div class="event-body">
          <div class="event-text">
            {event.description
              ? <p class="about" dir="auto">{event.description}</p>
              : <p class="about quiet">{NO_DESCRIPTION}</p>}
            <Requirements lines={requirementsOf(event)} />
          </div>
          <aside class="event-side" aria-label="Details">
            <dl class="facts">
              {factsOf(event, timeZone).map(({ name, parts }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{name === "For" ? <Chips parts={parts} /> : parts.map(factPart)}</dd>
                </div>
              ))}
            </dl>
            <p class="actions">
              <a class="plain-button" href={calendar}>Add to calendar</a>
              <span>
                <a href={subscribeHref(baseUrl)} data-copy="/calendar.ics">
                  Subscribe to all events
                </a>
              </span>
              <span>
                <a href="/api/v1/events/rss" data-copy="/api/v1/events/rss">
                  Follow the feed
                </a>
              </span>
            </p>
            <CopyButtons />
          </aside>
        </div>
      </article>
      {(previous ?? next) && (
        <nav class="around wide" aria-label="Other events">
          {previous && <Neighbour card={previous} label="← Earlier" today={today} />}
          {next && <Neighbour card={next} label="Later →" today={today} />}
        </nav>
      )}
    </>
  );
}

function Hero({ card, today }: { card: Card; today: string }) {
  const { event, classes, background, action } = card;
  return (
    <header class={`hero card ${classes}`}>
      {background && <Art src={background} width="wide" isFirst />}
      <CardTop card={card} today={today} logoWidth={800} isFirst />
      <div class="card-words">
        <h1 class={`name ${nameSize(event.name)}`} dir="auto">{event.name}</h1>
        <CardFacts card={card} today={today} />
        <a class="event-button" href={action.href} rel="noreferrer">{action.label}</a>
      </div>
    </header>
  );
}

/** A single line is shown as a sentence, several lines as a list. */
function Requirements({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="requirements">
      <h2 id="requirements">Requirements</h2>
      {lines.length === 1
        ? <p dir="auto">{lines[0]}</p>
        : <ul>{lines.map((line) => <li key={line} dir="auto">{line}</li>)}</ul>}
    </section>
  );
}

/** Text, a link, or days: each day for machines, one phrase for people. */
function factPart({ text, href, days }: FactPart) {
  if (days !== undefined) {
    const { startDate, endDate } = days;
    return (
      <>
        <time dateTime={startDate}>{text}</time>
        {endDate !== null && endDate !== startDate && <time dateTime={endDate} hidden />}
      </>
    );
  }
  if (href === undefined) return <bdi>{text}</bdi>;
  return (
    <a href={href} rel="noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}

function Chips({ parts }: { parts: readonly FactPart[] }) {
  return (
    <ul class="chips row">
      {parts.map(({ text, href }) => (
        <li key={text}>
          <a class="chip" href={href}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

function Neighbour({ card, label, today }: { card: Card; label: string; today: string }) {
  const { event, classes, href, background } = card;
  return (
    <div class={`card neighbour ${classes}`}>
      {background && <Art src={background} width={800} />}
      <div class="card-words">
        <p class="card-facts row">
          <span>{label}</span>
          <When event={event} today={today} />
        </p>
        <p class="name name-s" dir="auto">
          <a href={href}>{shortName(event.name, 120)}</a>
        </p>
      </div>
    </div>
  );
}
