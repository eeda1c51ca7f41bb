/** An event in few words: a line of the list by month, and a tile of the strip of featured events. */

import { dayOfWhen, leafOf, MAX_PLACE_LENGTH, shortName } from "../../lib/site/mod.ts";
import type { Event } from "../../lib/events/mod.ts";
import { sizedHref } from "../../lib/pictures/mod.ts";
import type { Card } from "../(_shared)/card.ts";
import { When } from "./EventCard.tsx";

/** A line with the day in the event's own colours, the name, the dates, the place and the format. */
export function EventRow({ card }: { readonly card: Card }) {
  const { event: { name, format, inPerson }, href } = card;
  const place = inPerson?.location ?? null;
  return (
    <li class="line">
      <Leaf card={card} />
      <h3 class="name" dir="auto">
        <a href={href}>{shortName(name, 120)}</a>
      </h3>
      <p class="line-facts fine">
        <When card={card} />
        <bdi class="place">{place !== null && shortName(place, MAX_PLACE_LENGTH)}</bdi>
        <Format format={format} hasPlace={place !== null} />
      </p>
    </li>
  );
}

/** The day of an event as a leaf of a calendar, in the event's own colours; "now" while the event is ongoing. */
export function Leaf({ card: { event, classes, today } }: { readonly card: Card }) {
  const { status, endDate } = event;
  if (status === "ongoing") {
    return <p class={`leaf leaf-now ${classes}`} aria-hidden="true">now</p>;
  }
  // Lines of past events are in the order of their last days.
  const lastDay = status === "ended" ? endDate : null;
  const { weekday, day } = leafOf(lastDay ?? dayOfWhen(event, today));
  return (
    <p class={`leaf ${classes}`} aria-hidden="true">
      {weekday}
      <strong>{day}</strong>
    </p>
  );
}

/** The format; a narrow screen leaves out the part that the place implies. */
function Format({ format, hasPlace }: { format: Event["format"]; hasPlace: boolean }) {
  const implied = hasPlace ? "implied" : undefined;
  if (format === "both") {
    return (
      <span>
        <span class={implied}>In person and</span> online
      </span>
    );
  }
  return format === "online"
    ? <span>Online</span>
    : <span class={implied}>{format && "In person"}</span>;
}

/** A tile in the event's own colours, with its logo, its name and its dates. */
export function StripTile({ card }: { readonly card: Card }) {
  const { event: { name }, classes, href, logo } = card;
  return (
    <li class={`strip-tile ${classes}`}>
      {logo && <img class="logo" src={sizedHref(logo, 400)} alt="" decoding="async" />}
      <div>
        <h3 class="name" dir="auto">
          <a href={href}>{shortName(name, 60)}</a>
        </h3>
        <p>
          <When card={card} />
        </p>
      </div>
    </li>
  );
}
