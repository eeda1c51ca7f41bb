/** `/events/{slug}`: one event. Its id leads here as well, and survives a renaming. */

import type { Context } from "fresh";
import { allEvents, neighbours } from "../../lib/events/programme.ts";
import type { Event } from "../../lib/events/model.ts";
import { lookStyles } from "../../lib/events/theme.ts";
import { datesInWords } from "../../lib/events/words.ts";
import { PublicError } from "../../lib/http/errors.ts";
import { methods } from "../../lib/http/methods.ts";
import type { State } from "../../lib/state.ts";
import { type Card, createCard, placeOf } from "../(_components)/card.ts";
import { eventData } from "../(_components)/event_data.ts";
import { EventDetails } from "../(_components)/EventDetails.tsx";
import {
  answerPage,
  type PageContent,
  type PageSource,
  pageSource,
} from "../(_components)/prepared.ts";
import { SharingHead } from "../(_components)/SharingHead.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const { slug = "" } = ctx.params;
    const source = await pageSource(ctx.state);
    const event = source.catalog.event(slug, source.now);
    if (event === null) {
      throw new PublicError("not_found", "There is no such event.", {
        hint: "It may have been renamed: look for it among the events.",
      });
    }
    if (event.slug !== slug) return ctx.redirect(`/events/${encodeURIComponent(event.slug)}`);
    return await answerPage(ctx, source, `event ${event.id}`, () => content(ctx, source, event));
  },
});

function content(
  { state: { services: { config } } }: Context<State>,
  { catalog, today, now }: PageSource,
  event: Event,
): PageContent {
  const { previous, next } = neighbours(allEvents(catalog, today, now), event);
  const card = createCard(event, catalog);
  const around = {
    previous: previous && createCard(previous, catalog),
    next: next && createCard(next, catalog),
  };
  const shown = [card, around.previous, around.next].filter((each) => each !== null);
  const styles = lookStyles(shown.map(({ look }) => look));
  const element = (
    <>
      <EventHead card={card} baseUrl={config.BASE_URL} />
      <EventDetails card={card} {...around} today={today.date} styles={styles} />
    </>
  );
  return { element, styles };
}

function EventHead({ card, baseUrl }: { card: Card; baseUrl: string }) {
  const { event, href, background, logo } = card;
  const url = `${baseUrl}${href}`;
  const images = [background, logo].filter((path) => path !== null)
    .map((path) => `${baseUrl}${path}`);
  const facts = [datesInWords(event), placeOf(event)].filter((fact) => fact !== null).join(", ");
  return (
    <SharingHead
      title={`${event.name} · Foyer`}
      description={`${facts}. ${event.description ?? ""}`}
      url={url}
      image={images[0] ?? null}
      data={eventData(event, url, images)}
    />
  );
}
