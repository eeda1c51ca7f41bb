/** `/events/{slug}`: one event. Its id leads here as well, and survives a renaming. */

import { page, type PageProps } from "fresh";
import { Head } from "fresh/runtime";
import type { Event } from "../../lib/events/model.ts";
import { PublicError } from "../../lib/http/errors.ts";
import { methods } from "../../lib/http/methods.ts";
import type { State } from "../../lib/state.ts";
import { EventFacts } from "../(_components)/EventFacts.tsx";

export const handler = methods<State>({
  async GET(ctx) {
    const { idOrSlug = "" } = ctx.params;
    const { events, now } = ctx.state.services;
    const event = (await events.catalog()).event(idOrSlug, now());
    if (event === null) {
      throw new PublicError("not_found", "There is no such event.", {
        hint: "It may have been renamed: look for it among the events.",
      });
    }
    if (event.slug !== idOrSlug) return ctx.redirect(`/events/${encodeURIComponent(event.slug)}`);
    return page<Event>(event);
  },
});

export default function EventPage({ data: event }: PageProps<Event, State>) {
  const website = event.url !== null && /^https?:\/\//i.test(event.url) ? event.url : null;
  return (
    <>
      <Head>
        <title>{`${event.name} · Foyer`}</title>
      </Head>
      <h1>{event.name}</h1>
      <EventFacts event={event} />
      {event.description && <p class="prose">{event.description}</p>}
      {website && (
        <p>
          <a href={website} rel="noreferrer">Website</a>
        </p>
      )}
    </>
  );
}
