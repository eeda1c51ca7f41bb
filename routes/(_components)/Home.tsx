/** The home page: a greeting, the filters, and the events in their groups. */

import { Head } from "fresh/runtime";
import { Wall } from "../../components/Wall.tsx";
import Days from "../../islands/Days.tsx";
import Filters from "../../islands/Filters.tsx";
import type { Event } from "../../lib/events/mod.ts";
import {
  filterInWords,
  filterSearch,
  type Group,
  type Programme,
  type Selection,
} from "../../lib/site/mod.ts";
import { FOYER } from "../../lib/site_name.ts";
import type { Card } from "../(_shared)/card.ts";
import { EventCard, PastCard } from "./EventCard.tsx";
import { EventRow, StripTile } from "./EventRow.tsx";
import { FEEDS } from "./feeds.ts";
import { EventStyles } from "./sheets.tsx";
import { useSite } from "./site.tsx";

interface HomeProps {
  readonly programme: Programme;
  readonly selection: Selection;
  /** A card for each event of the page. */
  readonly cards: ReadonlyMap<Event, Card>;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
  /** How many events there are in all. */
  readonly total: number;
  readonly looks: string;
}

/** The page's content. */
export function Home(props: HomeProps) {
  const { programme, selection, today, timeZone, total, looks } = props;
  const { baseUrl, name: siteName } = useSite();
  const { count, past } = programme;
  return (
    <>
      <EventStyles page="wall" looks={looks} />
      <FilteredFeeds selection={selection} />
      {total > 0 && <Days today={today} timeZone={timeZone} />}
      <div class="hello wide">
        <h1>{programme.title}</h1>
        <p class="lede">{programme.greeting}</p>
      </div>
      {total > 0 && (
        <Filters
          {...{ selection, count, past, total, baseUrl }}
          {
            // Pages with the usual name need not say it.
            ...siteName !== FOYER && { siteName }
          }
        />
      )}
      {total > 0 ? <CardWall {...props} /> : (
        <div class="empty wide">
          <h2>No events yet.</h2>
          <p>
            To hear of the first, <a href="/follow">follow them</a>{" "}
            in your calendar or in a feed reader.
          </p>
        </div>
      )}
    </>
  );
}

/** The feeds and the calendar of a filtered page, for programs that look for them in it. */
function FilteredFeeds({ selection }: Pick<HomeProps, "selection">) {
  const words = filterInWords(selection);
  if (words === null) return null;
  const search = filterSearch(selection);
  return (
    <Head>
      {FEEDS.map(({ href, type, title }) => (
        <link
          key={href}
          rel="alternate"
          type={type}
          title={title.replace(/^\w+ events/, () => words)}
          href={href + search}
        />
      ))}
    </Head>
  );
}

/**
 * The part of the page that depends on the selection, which `islands/Filters.tsx` replaces. It carries the looks as
 * text, because the page's policy allows no style element but its own.
 */
export function HomePart(props: HomeProps) {
  const { programme, looks } = props;
  return (
    <>
      <Head>
        <meta name="looks" content={looks} />
        <meta name="count" content={String(programme.count)} />
        <meta name="past" content={String(programme.past)} />
      </Head>
      <h1>{programme.title}</h1>
      <p class="lede">{programme.greeting}</p>
      <main>
        <CardWall {...props} />
      </main>
    </>
  );
}

function CardWall({ programme, selection, cards }: HomeProps) {
  // On a narrow screen this is the only image in sight, so it is loaded first.
  const first = programme.groups.find(({ kind }) => kind === "poster")?.events[0];
  const cardsOf = ({ kind, events }: Group) =>
    events.map((event) => {
      const card = cards.get(event);
      if (card === undefined) return null;
      const shown = { key: event.id, card };
      switch (kind) {
        case "strip":
          return <StripTile {...shown} />;
        case "poster":
          return <EventCard {...shown} isFirst={event === first} />;
        case "row":
          return <EventRow {...shown} />;
        case "small":
          return <PastCard {...shown} />;
      }
    });
  return <Wall programme={programme} selection={selection} cardsOf={cardsOf} />;
}
