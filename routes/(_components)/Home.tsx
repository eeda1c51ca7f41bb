/** The home page: a greeting, the filters, and the events in their groups. */

import type { ComponentChildren } from "preact";
import Countdowns from "../../islands/Countdowns.tsx";
import type { Event } from "../../lib/events/model.ts";
import {
  greetingOf,
  type Group,
  PAGE_LENGTH,
  type Programme,
  type ProgrammePage,
} from "../../lib/events/programme.ts";
import { type Selection, selectionHref, subscribeHref } from "../../lib/events/programme_query.ts";
import type { Card } from "./card.ts";
import { EventCard, PastCard } from "./EventCard.tsx";
import { Filters } from "./Filters.tsx";
import { LookStyle } from "./LookStyle.tsx";

/** What the home page shows. */
export interface HomeProps {
  readonly programme: Programme;
  readonly page: ProgrammePage;
  readonly selection: Selection;
  /** A card for each event of the page. */
  readonly cards: ReadonlyMap<Event, Card>;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** How many events there are, whatever the selection. */
  readonly total: number;
  readonly styles: string;
  readonly baseUrl: string;
  /** The page is to be put into another one. */
  readonly isPart: boolean;
}

/** The page's content. */
export function Home(
  { programme, page, selection, cards, today, total, styles, baseUrl, isPart }: HomeProps,
) {
  const { count, ended, hiddenEnded } = programme;
  // On a narrow screen nothing else of the first sight has a picture: it shall not wait for others.
  const first = page.groups[0]?.events[0];
  const posters = (events: readonly Event[]) =>
    events.map((event) => {
      const card = cards.get(event);
      const isFirst = event === first;
      return card && <EventCard key={event.id} card={card} today={today} isFirst={isFirst} />;
    });
  return (
    <>
      <LookStyle styles={styles} asText={isPart} />
      {total > 0 && <Countdowns />}
      <div class="hello wide">
        <h1>What’s on</h1>
        <p class="lede">{greetingOf(programme, selection)}</p>
      </div>
      {total > 0 && <Filters selection={selection} count={count} baseUrl={baseUrl} />}
      {total === 0 && <Nothing baseUrl={baseUrl} />}
      {total > 0 && count === 0 && <NothingFits text={selection.text} />}
      {page.groups.map((group) => (
        <GroupSection key={group.id} group={group}>
          {group.id === "past"
            ? (
              <ul class="pasts">
                {group.events.map((event) => {
                  const card = cards.get(event);
                  return card && <PastCard key={event.id} card={card} today={today} />;
                })}
              </ul>
            )
            : (
              <ul class={group.id === "pinned" ? "lead" : "cards"}>
                {posters(group.events)}
              </ul>
            )}
          {group.id === "past" && hiddenEnded > 0 && (
            <p>
              <a href={selectionHref({ ...selection, statuses: ["ended"], from: 0 })}>
                All past events, {ended.length + hiddenEnded} of them
              </a>
            </p>
          )}
        </GroupSection>
      ))}
      {page.left > 0 && (
        <p class="next wide">
          <a
            class="plain-button"
            rel="next"
            href={selectionHref({ ...selection, from: page.until })}
          >
            {nextInWords(page)}
          </a>
        </p>
      )}
    </>
  );
}

/** "Show the next 300 of 310 more". */
function nextInWords({ left }: ProgrammePage): string {
  if (left === 1) return "Show the last one";
  return left > PAGE_LENGTH
    ? `Show the next ${PAGE_LENGTH} of ${left} more`
    : `Show the last ${left}`;
}

/** A group under its heading, which is there to be heard alone where what is in front speaks for itself. */
function GroupSection({ group, children }: { group: Group; children: ComponentChildren }) {
  const { id, title } = group;
  const isInFront = id === "pinned";
  return (
    <section class={isInFront ? "wide" : "group wide"} aria-labelledby={id}>
      <h2 id={id} class={isInFront ? "hidden" : undefined}>{title}</h2>
      {children}
    </section>
  );
}

function Nothing({ baseUrl }: { baseUrl: string }) {
  return (
    <div class="empty wide">
      <h2>The walls are still bare.</h2>
      <p>
        Nothing is announced yet. When something is, its poster will hang here;{" "}
        <a href={subscribeHref(baseUrl)}>subscribe to the calendar</a> or{" "}
        <a href="/api/v1/events/rss">follow the feed</a>, and you will know first.
      </p>
    </div>
  );
}

function NothingFits({ text }: { text: string }) {
  return (
    <div class="empty wide">
      <h2>Nothing fits that.</h2>
      <p>
        {text !== "" && (
          <>
            No event has “<bdi>{text}</bdi>” in it with these filters.{" "}
          </>
        )}
        Take a filter away, or <a href="/">see everything</a>.
      </p>
    </div>
  );
}
