/**
 * `/events/{slug}`: an event; with `.md` appended, its markdown. Its id and its former slugs redirect here.
 */

import type { Context } from "fresh";
import {
  allEvents,
  datesInWords,
  eventData,
  eventMarkdown,
  type Others,
  othersOf,
  whereInWords,
} from "../../lib/site/mod.ts";
import { lookStyles } from "../../lib/theme/mod.ts";
import { type Event, eventHref, noSuchEvent } from "../../lib/events/mod.ts";
import { SHARING_SIZE } from "../../lib/pictures/mod.ts";
import { methods, twinOf, withoutTwin } from "../../lib/http/mod.ts";
import type { State } from "../../lib/service/mod.ts";
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
    const others = othersOf(allEvents(catalog, today), event, today.date);
    return await answerPage(ctx, basis, {
      address,
      html: () => content(ctx, basis, event, others),
      markdown() {
        const { BASE_URL: baseUrl } = ctx.state.services.config;
        const { timeZone } = catalog;
        return eventMarkdown(event, others, { baseUrl, today: today.date, timeZone });
      },
    });
  },
});

function content(
  { state: { services: { config, sharing } } }: Context<State>,
  { catalog, today }: CatalogBasis,
  event: Event,
  others: readonly Others[],
): PageContent {
  const { BASE_URL: baseUrl } = config;
  const card = createCard(event, catalog);
  const groups = others.map(({ title, events }) => (
    { title, cards: events.map((other) => createCard(other, catalog)) }
  ));
  const shown = [card, ...groups.flatMap(({ cards }) => cards)];
  const looks = lookStyles(shown.map(({ look }) => look));
  const url = `${baseUrl}${card.href}`;
  const images = [card.background, card.logo].filter((path) => path !== null)
    .map((path) => `${baseUrl}${path}`);
  const picture = sharing.href(catalog, event);
  const facts = [datesInWords(event), whereInWords(event)].filter((fact) => fact !== null).join(
    ", ",
  );
  const element = (
    <>
      <SharingHead
        title={`${event.name} · ${config.SITE_NAME}`}
        description={`${facts}. ${event.description ?? ""}`}
        url={url}
        {...picture && {
          image: { url: `${baseUrl}${picture}`, ...SHARING_SIZE, alt: `${event.name}: ${facts}` },
        }}
        oembed={`${baseUrl}/oembed?url=${encodeURIComponent(url)}`}
        data={eventData(event, url, images)}
      />
      <EventDetails
        card={card}
        others={groups}
        today={today.date}
        timeZone={catalog.timeZone}
        looks={looks}
        baseUrl={baseUrl}
      />
    </>
  );
  return { element, looks };
}
