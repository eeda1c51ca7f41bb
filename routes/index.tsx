/** `/`: what is on, and what comes. */

import { page, type PageProps } from "fresh";
import type { Event } from "../lib/events/model.ts";
import { methods } from "../lib/http/methods.ts";
import type { State } from "../lib/state.ts";
import { EventFacts } from "./(_components)/EventFacts.tsx";

interface Programme {
  readonly ongoing: readonly Event[];
  readonly upcoming: readonly Event[];
}

export const handler = methods<State>({
  async GET({ state: { services: { events, now } } }) {
    const catalog = await events.catalog();
    const inState = (status: Event["status"]) =>
      catalog.events(
        { statuses: new Set([status]), sort: "startDate", order: "asc", limit: 50 },
        now(),
      );
    return page<Programme>({ ongoing: inState("ongoing"), upcoming: inState("upcoming") });
  },
});

export default function Home({ data }: PageProps<Programme, State>) {
  return (
    <>
      <h1>What is on</h1>
      <EventList events={data.ongoing} none="Nothing is on today." />
      <h2>Coming up</h2>
      <EventList events={data.upcoming} none="Nothing is announced yet." />
    </>
  );
}

function EventList({ events, none }: { events: readonly Event[]; none: string }) {
  if (events.length === 0) return <p>{none}</p>;
  return (
    <ul class="events">
      {events.map((event) => (
        <li key={event.id}>
          <a href={`/events/${encodeURIComponent(event.slug)}`}>{event.name}</a>
          <EventFacts event={event} />
        </li>
      ))}
    </ul>
  );
}
