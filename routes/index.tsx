/**
 * `/`: the home page, and past events by year. The next events lead, then the ongoing ones, then the later ones by
 * month.
 */

import { Head } from "fresh/runtime";
import type { RenderableProps } from "preact";
import { Wall } from "../components/Wall.tsx";
import Days from "../islands/Days.tsx";
import Filters from "../islands/Filters.tsx";
import type { Event } from "../lib/events/mod.ts";
import { searchOf } from "../lib/http/mod.ts";
import {
  allEvents,
  buildProgramme,
  filterInWords,
  filterSearch,
  type Group,
  pageTitle,
  parseSelection,
  pastYear,
  type Programme,
  programmeMarkdown,
  type Selection,
  selectionHref,
} from "../lib/site/mod.ts";
import { FOYER } from "../lib/site_name.ts";
import { lookStyles } from "../lib/theme/mod.ts";
import { EventCard, EventRow, PastCard, StripTile } from "./(_components)/EventCard.tsx";
import { FEEDS } from "./(_components)/feeds.ts";
import { answerPage, type CatalogBasis, catalogBasis } from "./(_components)/prepared.tsx";
import { SharingHead } from "./(_components)/SharingHead.tsx";
import { EventStyles } from "./(_components)/sheets.tsx";
import { useSite } from "./(_components)/site.tsx";
import { type Card, createCard } from "./(_shared)/card.ts";
import { methods } from "./(_shared)/methods.ts";

/** The parameter that requests only the part of the page that a script replaces. */
const PART = "part";
const ABOUT =
  "Workshops, jams, programmes and conferences: what is on now, what comes next, and how to join.";

export const handler = methods({
  async GET(ctx) {
    const basis = await catalogBasis(ctx.state);
    const search = searchOf(ctx.req.url);
    const selection = parseSelection(search);
    // `islands/Filters.tsx` requests it.
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
        const wall = <CardWall programme={programme} selection={selection} cards={cards} />;
        if (isPart) {
          return { element: <Part programme={programme} looks={looks}>{wall}</Part>, isPart };
        }
        const element = (
          <>
            <SharingHead
              title={pageTitle(programme.title, ctx.state.site.name)}
              description={isYear ? programme.greeting : ABOUT}
              path={isYear ? href : "/"}
              isIndexed={href === "/" || (isYear && programme.count > 0)}
            />
            <EventStyles page="wall" looks={looks} />
            <Home {...{ programme, selection, basis }} total={events.length}>{wall}</Home>
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
function Home({ programme, selection, basis, total, children }: RenderableProps<{
  readonly programme: Programme;
  readonly selection: Selection;
  readonly basis: CatalogBasis;
  readonly total: number;
}>) {
  const { title, greeting, count, past } = programme;
  const { today, timeZone, baseUrl } = basis;
  const { name: siteName } = useSite();
  return (
    <>
      <FilteredFeeds selection={selection} />
      {total > 0 && <Days today={today} timeZone={timeZone} />}
      <div class="hello wide">
        <h1>{title}</h1>
        <p class="lede">{greeting}</p>
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
 * The part of the page that depends on the selection, which `islands/Filters.tsx` replaces. It carries the looks as
 * text, because the page's policy allows no style element but its own.
 */
function Part({ programme: { title, greeting, count, past }, looks, children }: RenderableProps<{
  readonly programme: Programme;
  readonly looks: string;
}>) {
  return (
    <>
      <Head>
        <meta name="looks" content={looks} />
        <meta name="count" content={String(count)} />
        <meta name="past" content={String(past)} />
      </Head>
      <h1>{title}</h1>
      <p class="lede">{greeting}</p>
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
