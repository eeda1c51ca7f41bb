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
import { twinOf, withoutTwin } from "../../lib/http/mod.ts";
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
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({
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
    const others = othersOf(allEvents(catalog, today), event, today);
    return await answerPage(ctx, basis, {
      address,
      html: () => content(ctx, basis, event, others),
      markdown: () => eventMarkdown(event, others, basis),
    });
  },
});

function content(
  { state: { site, services: { sharing } } }: Context<State>,
  basis: CatalogBasis,
  event: Event,
  others: readonly Others[],
): PageContent {
  const { catalog, timeZone, baseUrl } = basis;
  const card = createCard(event, basis);
  const groups = others.map(({ title, events }) => (
    { title, cards: events.map((other) => createCard(other, basis)) }
  ));
  const shown = [card, ...groups.flatMap(({ cards }) => cards)];
  const looks = lookStyles(shown.map(({ look }) => look));
  const images = [card.background, card.logo].filter((path) => path !== null)
    .map((path) => `${baseUrl}${path}`);
  const picture = sharing.href(catalog, event);
  const facts = [datesInWords(event), whereInWords(event)].filter((fact) => fact !== null).join(
    ", ",
  );
  const element = (
    <>
      <SharingHead
        title={`${event.name} · ${site.name}`}
        description={`${facts}. ${event.description ?? ""}`}
        path={card.href}
        {...picture && {
          image: { path: picture, ...SHARING_SIZE, alt: `${event.name}: ${facts}` },
        }}
        hasEmbed
        data={eventData(event, `${baseUrl}${card.href}`, images)}
      />
      <EventDetails card={card} others={groups} timeZone={timeZone} looks={looks} />
    </>
  );
  return { element, looks };
}
