/**
 * `/`: the home page, and past events by year. The next events lead, then the ongoing ones, then the later ones by
 * month.
 */

import { Head } from "fresh/runtime";
import type { RenderableProps } from "preact";
import Days from "../islands/Days.tsx";
import FiltersInPlace from "../islands/FiltersInPlace.tsx";
import {
  allEvents,
  buildProgramme,
  type Event,
  filterInWords,
  filterSearch,
  type Group,
  lookStyles,
  pageTitle,
  parseSelection,
  pastYear,
  type Programme,
  programmeMarkdown,
  type Selection,
  selectionHref,
} from "../lib/events/mod.ts";
import { searchOf } from "../lib/platform/address.ts";
import { EventCard, EventRow, PastCard, StripTile } from "../components/shared/EventCard.tsx";
import { FEEDS } from "../components/shared/feeds.ts";
import { Filters } from "../components/home/Filters.tsx";
import { answerPage, catalogBasis } from "../components/shared/prepared.tsx";
import { SharingHead } from "../components/shared/SharingHead.tsx";
import { EventStyles } from "../components/shared/sheets.tsx";
import { Wall } from "../components/home/Wall.tsx";
import { type Card, createCard } from "../components/shared/card.ts";
import { methods } from "../lib/operate/mod.ts";

/** The parameter that requests only the part of the page that a script replaces. */
const PART = "part";
const ABOUT =
  "Workshops, jams, programmes and conferences: what is on now, what comes next, and how to join.";

export const handler = methods({
  async GET(ctx) {
    const basis = await catalogBasis(ctx.state);
    const search = searchOf(ctx.req.url);
    const selection = parseSelection(search);
    // `islands/FiltersInPlace.tsx` requests it.
    const isPart = new URLSearchParams(search).has(PART);
    const href = selectionHref(selection);
    // A year of past events is a page of its own, and no view of this one.
    const isYear = selection.year !== null && href === selectionHref(pastYear(selection.year));
    const events = allEvents(basis.catalog, basis.today);
    return await answerPage(ctx, basis, {
      address: isPart ? `${href}${href === "/" ? "?" : "&"}${PART}` : href,
      html() {
        const programme = buildProgramme(events, selection);
        const cards = new Map<Event, Card>();
        for (const { kind, events } of programme.groups) {
          const isPlain = kind === "row" || kind === "strip";
          for (const event of events) cards.set(event, createCard(event, basis, isPlain));
        }
        const looks = lookStyles([...cards.values()].map(({ look }) => look));
        const title = pageTitle(programme.title, ctx.state.site.name);
        const content = (
          <Home programme={programme} selection={selection} total={events.length}>
            <CardWall programme={programme} selection={selection} cards={cards} />
          </Home>
        );
        if (isPart) {
          return { element: <Part {...{ title, href, looks }}>{content}</Part>, isPart };
        }
        const element = (
          <>
            <SharingHead
              title={title}
              description={isYear ? programme.greeting : ABOUT}
              path={isYear ? href : "/"}
              isIndexed={href === "/" || (isYear && programme.count > 0)}
            />
            <EventStyles page="wall" looks={looks} />
            <FilteredFeeds selection={selection} />
            {events.length > 0 && (
              <>
                <Days today={basis.today} timeZone={basis.timeZone} />
                <FiltersInPlace />
              </>
            )}
            {content}
          </>
        );
        return { element, looks };
      },
      markdown() {
        const programme = buildProgramme(events, selection);
        return programmeMarkdown(programme, selection, events.length, basis);
      },
    });
  },
});

/** The page's content; `total` is the number of all events. */
function Home({ programme, selection, total, children }: RenderableProps<{
  readonly programme: Programme;
  readonly selection: Selection;
  readonly total: number;
}>) {
  const { title, greeting, count, past } = programme;
  return (
    <>
      <div class="hello wide">
        <h1>{title}</h1>
        <p class="lede">{greeting}</p>
      </div>
      {total > 0 && <Filters selection={selection} count={count} past={past} />}
      {total > 0 ? children : (
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
function FilteredFeeds({ selection }: { readonly selection: Selection }) {
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
 * The content without the page around it, with which `islands/FiltersInPlace.tsx` replaces its own. It carries the
 * looks as text, because the page's policy allows no style element but its own.
 */
function Part({ title, href, looks, children }: RenderableProps<{
  readonly title: string;
  /** The address of the selection. */
  readonly href: string;
  readonly looks: string;
}>) {
  return (
    <>
      <Head>
        <title>{title}</title>
        <meta name="address" content={href} />
        <meta name="looks" content={looks} />
      </Head>
      <main>{children}</main>
    </>
  );
}

function CardWall({ programme, selection, cards }: {
  readonly programme: Programme;
  readonly selection: Selection;
  /** A card for each event of the page. */
  readonly cards: ReadonlyMap<Event, Card>;
}) {
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
