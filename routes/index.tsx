/** `/`: the home page, and past events by year. This week leads, then what runs all year, then the months. */

import { Head } from "fresh/runtime";
import FiltersInPlace from "../islands/FiltersInPlace.tsx";
import { filterInWords } from "../lib/events/site/filter_words.ts";
import {
  allEvents,
  buildListing,
  type Listing,
  offeredPlaces,
} from "../lib/events/site/listing.ts";
import { listingMarkdown } from "../lib/events/site/markdown.ts";
import {
  filterSearch,
  isNarrow,
  isOver,
  pageTitle,
  parseSelection,
  pastYear,
  type Selection,
  selectionHref,
} from "../lib/events/site/selection.ts";
import { themeRules } from "../lib/events/theme/theme.ts";
import { searchOf } from "../lib/platform/address.ts";
import { cardTexts } from "../components/shared/card_text.tsx";
import { Filters } from "../components/home/Filters.tsx";
import { answerPage, catalogScope, FEEDS } from "../components/shared/kept_pages.tsx";
import { SharingHead } from "../components/shared/SharingHead.tsx";
import { useSite } from "../components/shared/site.tsx";
import { EventStyles } from "../components/shared/sheets.tsx";
import { Groups, PastIndex } from "../components/home/Listing.tsx";
import { methods } from "../lib/operate/routes/methods.ts";

const ABOUT = "What is on now, what comes next, and how to join.";

export const handler = methods({
  async GET(ctx) {
    const scope = await catalogScope(ctx.state);
    const selection = parseSelection(searchOf(ctx.req.url));
    const href = selectionHref(selection);
    // A year of past events is a page of its own, and no view of this one. Its months are views of it.
    const isYear = selection.year?.length === 4 && href === selectionHref(pastYear(selection.year));
    const events = allEvents(scope.catalog, scope.today);
    return await answerPage(ctx, scope, {
      address: href,
      async html() {
        const listing = buildListing(events, selection, scope.today);
        const texts = await cardTexts(listing.groups, scope);
        const rules = themeRules(texts.flat().map(({ theme }) => theme));
        const cards = texts.map((group) => group.map(({ html }) => html).join(""));
        const title = pageTitle(listing.title, ctx.state.site.name);
        const places = offeredPlaces(events, selection);
        const element = (
          <>
            <SharingHead
              title={title}
              description={isYear ? listing.greeting : ctx.state.site.tagline ?? ABOUT}
              path={isYear ? href : "/"}
              isIndexed={href === "/" || (isYear && listing.count > 0)}
            />
            <EventStyles page="home" rules={rules} />
            <FilteredFeeds selection={selection} />
            {events.length > 0 && <FiltersInPlace />}
            <Home {...{ listing, selection, cards, places }} total={events.length} />
          </>
        );
        return { element, rules };
      },
      markdown() {
        const listing = buildListing(events, selection, scope.today);
        return listingMarkdown(listing, selection, events.length, scope);
      },
    });
  },
});

/** The page's content; `total` is the number of all events, and `cards` has the HTML of each group. */
function Home({ listing, selection, cards, places, total }: {
  readonly listing: Listing;
  readonly selection: Selection;
  readonly cards: readonly string[];
  readonly places: ReturnType<typeof offeredPlaces>;
  readonly total: number;
}) {
  const { tagline } = useSite();
  return (
    <>
      <div class="hello row">
        <h1>{listing.title}</h1>
        {/* The organisation's own sentence, unless there is something to say about a choice. */}
        <p class="lede">{(isNarrow(selection) ? null : tagline) ?? listing.greeting}</p>
      </div>
      {total > 0 && (
        <>
          <Filters selection={selection} places={places}>
            {isOver(selection) && <PastIndex listing={listing} selection={selection} />}
          </Filters>
          <Groups listing={listing} selection={selection} cards={cards} />
        </>
      )}
      {total === 0 && (
        <div id="events">
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
