/**
 * `/events/{slug}`: an event; with `.md` appended, its markdown. Its id and its former slugs redirect here.
 */

import type { Context } from "fresh";
import { Fragment } from "preact";
import { descriptionHtml, descriptionText } from "../../lib/events/description.ts";
import { type Event, eventHref } from "../../lib/events/model.ts";
import { SHARING_SIZE } from "../../lib/events/pictures/painter.ts";
import { noSuchEvent, requireNotWithdrawn } from "../../lib/events/respond.ts";
import { calendarLinks, mailHref } from "../../lib/events/site/calendar_links.ts";
import { eventData } from "../../lib/events/site/event_data.ts";
import {
  detailsOf,
  type FactPart,
  NO_DESCRIPTION,
  requirementsOf,
  scheduleOf,
} from "../../lib/events/site/facts.ts";
import { allEvents } from "../../lib/events/site/listing.ts";
import { eventMarkdown } from "../../lib/events/site/markdown.ts";
import { OTHERS, othersOf } from "../../lib/events/site/others.ts";
import { themeRules } from "../../lib/events/theme/theme.ts";
import { datesInWords, whereInWords } from "../../lib/events/words.ts";
import { asciiSearchOf } from "../../lib/platform/address.ts";
import { isTwin, twinOf } from "../../lib/platform/http/negotiate.ts";
import { nearestName } from "../../lib/platform/nearest.ts";
import { methods } from "../../lib/operate/routes/methods.ts";
import type { State } from "../../lib/operate/state.ts";
import { type Card, createCard, nameSize } from "../../components/shared/card.ts";
import {
  answerPage,
  type CatalogScope,
  catalogScope,
  type PageContent,
  showing,
} from "../../components/shared/kept_pages.tsx";
import { SharingHead } from "../../components/shared/SharingHead.tsx";
import { LinkList } from "../../components/shared/LinkList.tsx";
import EventActions from "../../islands/EventActions.tsx";
import { Art, CardTop, EventCard } from "../../components/shared/EventCard.tsx";
import { EventStyles } from "../../components/shared/sheets.tsx";
import { useSite } from "../../components/shared/site.tsx";

export const handler = methods({
  async GET(ctx) {
    const slug = ctx.params["slug"] ?? "";
    const scope = await catalogScope(ctx.state);
    const { catalog, today } = scope;
    const event = catalog.event(slug);
    const itsSlug = event?.slug ?? catalog.slugOfRenamed(slug);
    if (itsSlug === null) {
      requireNotWithdrawn(catalog, slug);
      const near = nearestSlug(slug, allEvents(catalog, today));
      const hint = near === null
        ? "All events are on the home page."
        : `Did you mean ${eventHref(near)}?`;
      throw noSuchEvent(catalog, "There is no such event.", hint);
    }
    const address = eventHref(itsSlug);
    if (event === null || event.slug !== slug) {
      // Another spelling stays the event's, while an id or a former slug may get another slug.
      const status = slug.toLowerCase() === itsSlug ? 308 : 302;
      const { url } = ctx.req;
      const place = isTwin(url) ? twinOf(address) : address;
      return ctx.redirect(place + asciiSearchOf(url), status);
    }
    const others = () => othersOf(allEvents(catalog, today), event, today);
    return await answerPage(ctx, showing(scope, () => [event, ...others()]), {
      address,
      html: () => content(ctx, scope, event, others()),
      markdown: () => eventMarkdown(event, others(), scope),
    });
  },
});

/** How many edits lead from a mistyped address to the one that is meant; and the longest address that is compared. */
const MAX_EDITS = 3;
const MAX_SLUG_LENGTH = 100;

/** The slug that is probably meant; null without one that is near. */
function nearestSlug(asked: string, events: readonly Event[]): string | null {
  if (asked.length > MAX_SLUG_LENGTH) return null;
  const slugs = events.map(({ slug }) => slug)
    .filter(({ length }) => Math.abs(length - asked.length) <= MAX_EDITS);
  const nearest = nearestName(asked.toLowerCase(), slugs);
  const allowed = Math.min(MAX_EDITS, Math.floor(asked.length / 3));
  return nearest !== null && nearest.edits <= allowed ? nearest.name : null;
}

function content(
  { state: { site, services: { sharing } } }: Context<State>,
  scope: CatalogScope,
  event: Event,
  others: readonly Event[],
): PageContent {
  const { catalog, timeZone } = scope;
  const card = createCard(event, scope);
  const cards = others.map((other) => createCard(other, scope));
  const rules = themeRules([card, ...cards].map(({ theme }) => theme));
  const picture = sharing.picture(catalog, event);
  const images = [picture?.href ?? null, card.background, card.logo]
    .filter((path) => path !== null);
  const facts = [datesInWords(event), whereInWords(event)].filter((fact) => fact !== null).join(
    ", ",
  );
  const element = (
    <>
      <SharingHead
        title={`${event.name} · ${site.name}`}
        description={`${facts}. ${descriptionText(event.description ?? "")}`}
        path={card.href}
        {...picture && {
          image: {
            path: picture.href,
            type: picture.type,
            ...SHARING_SIZE,
            alt: `${event.name}: ${facts}`,
          },
        }}
        hasEmbed
        data={eventData(event, { site, images })}
      />
      <EventDetails card={card} others={cards} timeZone={timeZone} rules={rules} />
    </>
  );
  return { element, rules };
}

function EventDetails({ card, others, timeZone, rules }: {
  readonly card: Card;
  readonly others: readonly Card[];
  /** The zone of the events' days. */
  readonly timeZone: string;
  readonly rules: string;
}) {
  const { event } = card;
  return (
    <>
      <EventStyles page="event" rules={rules} />
      <article class="event full">
        <Hero card={card} />
        <div class="event-body">
          <div class="event-text">
            {event.description
              ? <Description html={descriptionHtml(event.description)} />
              : <p class="about quiet">{NO_DESCRIPTION}</p>}
            <Requirements lines={requirementsOf(event)} />
          </div>
          <aside aria-label="Details">
            <dl class="facts">
              {detailsOf(event, timeZone).map(({ name, parts }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{name === "Topics" ? <Chips parts={parts} /> : parts.map(factPart)}</dd>
                </div>
              ))}
            </dl>
            <p class="actions">
              <a href="/follow">Follow all events</a>
            </p>
          </aside>
        </div>
      </article>
      {others.length > 0 && (
        <section aria-labelledby="others">
          <h2 id="others">{OTHERS}</h2>
          <ul class="others">
            {others.map((other) => <EventCard key={other.event.id} card={other} />)}
          </ul>
        </section>
      )}
    </>
  );
}

function Description({ html }: { readonly html: string }) {
  // deno-lint-ignore react-no-danger -- markup that `lib/events/description.ts` makes and allows
  return <div class="about" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

function Hero({ card }: { card: Card }) {
  const { baseUrl } = useSite();
  const { event, today, classes, href, background, action } = card;
  const calendars = calendarLinks(event, { baseUrl, today });
  // An event without a website or a chat has the calendar alone.
  const isElsewhere = action.href !== `${href}.ics`;
  return (
    <header class={`hero card ${classes}`}>
      {background && <Art src={background} isWide isFirst />}
      <CardTop card={card} isFirst />
      <div class="card-words">
        <h1 class={`name ${nameSize(event.name)}`} dir="auto">{event.name}</h1>
        <dl class="card-facts">
          {scheduleOf(event).map(({ name, parts }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {parts.map((part, at) => (
                  <Fragment key={part.text}>
                    {at > 0 && ", "}
                    {factPart(part)}
                  </Fragment>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        <div class="event-actions row">
          {isElsewhere && (
            <a class="event-button" href={action.href} rel="noreferrer">{action.label}</a>
          )}
          {calendars.length > 0 && (
            <details class="menu">
              <summary class={isElsewhere ? "event-button second" : "event-button"}>
                Add to calendar
              </summary>
              <LinkList
                class="panel"
                links={calendars.map((each) => ({ ...each, rel: "noreferrer" }))}
              />
            </details>
          )}
          <a class="event-button second share" href={mailHref(event, baseUrl)}>Share</a>
          <EventActions />
        </div>
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
function factPart({ text, href, days, what }: FactPart) {
  if (days !== undefined) {
    const { startDate, endDate } = days;
    return (
      <>
        {what !== undefined && `${what} `}
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
  const links = parts.map(({ text, href }) => ({ label: text, class: "chip", href }));
  return <LinkList class="chips row" links={links} />;
}
