/**
 * `/events/{slug}`: an event; with `.md` appended, its markdown. Its id and its former slugs redirect here.
 */

import type { Context } from "fresh";
import {
  allEvents,
  datesInWords,
  eventData,
  eventHref,
  eventMarkdown,
  lookStyles,
  type Neighbours,
  neighbours,
  placeOf,
} from "../../lib/site/mod.ts";
import { type Event, noSuchEvent } from "../../lib/events/mod.ts";
import { SHARING_SIZE } from "../../lib/pictures/mod.ts";
import { methods, twinOf, withoutTwin } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";
import { createCard } from "../(_shared)/card.ts";
import { EventDetails } from "../(_components)/EventDetails.tsx";
import {
  answerPage,
  type CatalogBasis,
  catalogBasis,
  type PageContent,
} from "../(_components)/prepared.tsx";
import { SharingHead } from "../(_components)/SharingHead.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const asked = ctx.params["slug"] ?? "";
    const slug = withoutTwin(asked);
    const basis = await catalogBasis(ctx.state);
    const { catalog, today } = basis;
    const event = catalog.event(slug);
    const itsSlug = event?.slug ?? catalog.slugOfRenamed(slug);
    if (itsSlug === null) {
      const hint = "It may have been withdrawn. All events are on the home page.";
      throw noSuchEvent(catalog, "There is no such event.", hint);
    }
    const address = eventHref(itsSlug);
    if (event === null || event.slug !== slug) {
      return ctx.redirect(slug === asked ? address : twinOf(address));
    }
    const around = neighbours(allEvents(catalog, today), event);
    return await answerPage(ctx, basis, {
      address,
      html: () => content(ctx, basis, event, around),
      markdown() {
        const { BASE_URL: baseUrl } = ctx.state.services.config;
        const { timeZone } = catalog;
        return eventMarkdown(event, around, { baseUrl, today: today.date, timeZone });
      },
    });
  },
});

function content(
  { state: { services: { config, sharing } } }: Context<State>,
  { catalog, today }: CatalogBasis,
  event: Event,
  { previous, next }: Neighbours,
): PageContent {
  const { BASE_URL: baseUrl } = config;
  const card = createCard(event, catalog);
  const around = {
    previous: previous && createCard(previous, catalog),
    next: next && createCard(next, catalog),
  };
  const shown = [card, around.previous, around.next].filter((each) => each !== null);
  const looks = lookStyles(shown.map(({ look }) => look));
  const url = `${baseUrl}${card.href}`;
  const images = [card.background, card.logo].filter((path) => path !== null)
    .map((path) => `${baseUrl}${path}`);
  const picture = sharing.href(catalog, event);
  const facts = [datesInWords(event), placeOf(event)].filter((fact) => fact !== null).join(", ");
  const element = (
    <>
      <SharingHead
        title={`${event.name} · Foyer`}
        description={`${facts}. ${event.description ?? ""}`}
        url={url}
        {...picture && {
          image: { url: `${baseUrl}${picture}`, ...SHARING_SIZE, alt: `${event.name}: ${facts}` },
        }}
        data={eventData(event, url, images)}
      />
      <EventDetails
        card={card}
        {...around}
        today={today.date}
        timeZone={catalog.timeZone}
        looks={looks}
        baseUrl={baseUrl}
      />
    </>
  );
  return { element, looks };
}
