/** The home page: a greeting, the filters, and the events in their groups. */

import type { Event } from "../../lib/events/model.ts";
import type { Programme } from "../../lib/events/programme.ts";
import { isNarrow, type Selection, selectionHref } from "../../lib/events/programme_query.ts";
import type { Card } from "./card.ts";
import { EventCard, PastCard } from "./EventCard.tsx";
import { Filters } from "./Filters.tsx";
import { LookStyle } from "./LookStyle.tsx";

/** What the home page shows. */
export interface HomeProps {
  readonly programme: Programme;
  readonly selection: Selection;
  /** A card for each event of the programme. */
  readonly cards: ReadonlyMap<Event, Card>;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** How many events there are, whatever the selection. */
  readonly total: number;
  readonly styles: string;
}

/** Posters above the fold on most screens; their images are fetched at once. */
const FIRST = 3;

/** The page's content. */
export function Home({ programme, selection, cards, today, total, styles }: HomeProps) {
  const { pinned, ongoing, upcoming, ended, sorted, count, hiddenEnded } = programme;
  const isWhole = !isNarrow(selection);
  let left = FIRST;
  const posters = (events: readonly Event[]) =>
    events.map((event) => {
      const card = cards.get(event);
      return card && <EventCard key={event.id} card={card} today={today} isFirst={left-- > 0} />;
    });
  return (
    <>
      <LookStyle styles={styles} />
      <div class="hello wide">
        <h1>What’s on</h1>
        <p class="lede">{greeting(programme, isWhole)}</p>
      </div>
      {total > 0 && <Filters selection={selection} count={count} />}
      {total === 0 && <Nothing />}
      {total > 0 && count === 0 && <NothingFits text={selection.text} />}
      {pinned.length > 0 && (
        <section class="wide" aria-label="In front">
          <ul class="lead">{posters(pinned)}</ul>
        </section>
      )}
      {ongoing.length > 0 && (
        <Group id="now" title="On now">
          <ul class="cards">{posters(ongoing)}</ul>
        </Group>
      )}
      {upcoming.length > 0 && (
        <Group id="next" title="Coming up">
          <ul class="cards">{posters(upcoming)}</ul>
        </Group>
      )}
      {sorted.length > 0 && (
        <Group id="all" title="Events">
          <ul class="cards">{posters(sorted)}</ul>
        </Group>
      )}
      {ended.length > 0 && (
        <Group id="past" title="What was">
          <ul class="pasts">
            {ended.map((event) => {
              const card = cards.get(event);
              return card && <PastCard key={event.id} card={card} today={today} />;
            })}
          </ul>
          {hiddenEnded > 0 && (
            <p>
              <a href={selectionHref({ ...selection, statuses: ["ended"] })}>
                All past events, {ended.length + hiddenEnded} of them
              </a>
            </p>
          )}
        </Group>
      )}
    </>
  );
}

function Group(
  { id, title, children }: { id: string; title: string; children: preact.ComponentChildren },
) {
  return (
    <section class="group wide" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function greeting({ pinned, ongoing, upcoming }: Programme, isWhole: boolean): string {
  const all = [...pinned, ...ongoing, ...upcoming];
  const now = all.filter(({ status }) => status === "ongoing").length;
  const soon = all.length - now;
  if (!isWhole || all.length === 0) return "Look around, and stay where you like it.";
  if (now === 0) {
    return `Nothing is on today, but ${soon} ${soon === 1 ? "event is" : "are"} on the way.`;
  }
  const open = `${now === 1 ? "One thing is" : `${now} things are`} on right now`;
  return soon === 0
    ? `${open}. Come in.`
    : `${open}, and ${soon} more ${soon === 1 ? "is" : "are"} on the way. Come in.`;
}

function Nothing() {
  return (
    <div class="empty wide">
      <h2>The walls are still bare.</h2>
      <p>
        Nothing is announced yet. When something is, its poster will hang here;{" "}
        <a href="/calendar.ics">subscribe to the calendar</a> or{" "}
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
