/** `/`: the home page. Featured and ongoing events lead, then upcoming ones, then past ones. */

import {
  allEvents,
  buildProgramme,
  isNarrow,
  lookStyles,
  PARAMETERS,
  parseSelection,
  programmeMarkdown,
  selectionHref,
} from "../lib/site/mod.ts";
import type { Event } from "../lib/events/mod.ts";
import { methods, searchOf } from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";
import { type Card, createCard } from "./(_shared)/card.ts";
import { Home, HomePart } from "./(_components)/Home.tsx";
import { SharingHead } from "./(_components)/SharingHead.tsx";
import { answerPage, catalogBasis } from "./(_components)/prepared.tsx";

const ABOUT =
  "Workshops, jams, programmes and conferences: what is on now, what comes next, and how to join.";

export const handler = methods<State>({
  async GET(ctx) {
    const { BASE_URL: baseUrl } = ctx.state.services.config;
    const basis = await catalogBasis(ctx.state);
    const { catalog, today } = basis;
    const search = searchOf(ctx.req.url);
    const selection = parseSelection(search);
    // `islands/Filters.tsx` requests it.
    const isPart = new URLSearchParams(search).has(PARAMETERS.part);
    const href = selectionHref(selection);
    const events = allEvents(catalog, today);
    return await answerPage(ctx, basis, {
      address: isPart ? `${href}${href === "/" ? "?" : "&"}${PARAMETERS.part}` : href,
      html() {
        const programme = buildProgramme(events, selection);
        const cards = new Map<Event, Card>();
        for (const { events } of programme.groups) {
          for (const event of events) cards.set(event, createCard(event, catalog));
        }
        const looks = lookStyles([...cards.values()].map(({ look }) => look));
        const shown = {
          ...{ programme, selection, cards, looks, baseUrl },
          today: today.date,
          timeZone: catalog.timeZone,
          total: events.length,
        };
        if (isPart) return { element: <HomePart {...shown} />, isPart };
        const element = (
          <>
            <SharingHead
              title="Foyer · What’s on"
              description={ABOUT}
              url={`${baseUrl}/`}
              isIndexed={!isNarrow(selection) && selection.from === 0}
            />
            <Home {...shown} />
          </>
        );
        return { element, looks };
      },
      markdown() {
        const programme = buildProgramme(events, selection);
        const context = { baseUrl, today: today.date, timeZone: catalog.timeZone };
        return programmeMarkdown(programme, selection, events.length, context);
      },
    });
  },
});
