/**
 * `/`: the home page, and past events by year. The next events lead, then the ongoing ones, then the later ones by
 * month.
 */

import {
  allEvents,
  buildProgramme,
  pageTitle,
  parseSelection,
  PART,
  pastYear,
  programmeMarkdown,
  selectionHref,
} from "../lib/site/mod.ts";
import { lookStyles } from "../lib/theme/mod.ts";
import type { Event } from "../lib/events/mod.ts";
import { methods, searchOf } from "../lib/http/mod.ts";
import type { State } from "../lib/service/mod.ts";
import { type Card, createCard } from "./(_shared)/card.ts";
import { Home, HomePart } from "./(_components)/Home.tsx";
import { SharingHead } from "./(_components)/SharingHead.tsx";
import { answerPage, catalogBasis } from "./(_components)/prepared.tsx";

const ABOUT =
  "Workshops, jams, programmes and conferences: what is on now, what comes next, and how to join.";

export const handler = methods<State>({
  async GET(ctx) {
    const basis = await catalogBasis(ctx.state);
    const { catalog, today, timeZone } = basis;
    const search = searchOf(ctx.req.url);
    const selection = parseSelection(search);
    // `islands/Filters.tsx` requests it.
    const isPart = new URLSearchParams(search).has(PART);
    const href = selectionHref(selection);
    // A year of past events is a page of its own, and no view of this one.
    const isYear = selection.year !== null && href === selectionHref(pastYear(selection.year));
    const events = allEvents(catalog, today);
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
        const total = events.length;
        const shown = { programme, selection, cards, looks, today, timeZone, total };
        if (isPart) return { element: <HomePart {...shown} />, isPart };
        const element = (
          <>
            <SharingHead
              title={pageTitle(programme.title, ctx.state.site.name)}
              description={isYear ? programme.greeting : ABOUT}
              path={isYear ? href : "/"}
              isIndexed={href === "/" || (isYear && programme.count > 0)}
            />
            <Home {...shown} />
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
