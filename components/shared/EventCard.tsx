/** An event in a list: a poster in its own colours, a line of the list by month, a tile. */

import type { Event } from "../../lib/events/model.ts";
import { sizedHref } from "../../lib/events/pictures/images.ts";
import { MAX_PLACE_LENGTH, shortName } from "../../lib/events/site/short_text.ts";
import { dayOfWhen, leafOf, stateInWords, whenInWords } from "../../lib/events/words.ts";
import { type Card, nameSize } from "./card.ts";
import { UNLOCKED } from "./site.tsx";

/** A longer name would make its whole row higher than the first screen has room for. */
const MAX_CARD_NAME_LENGTH = 120;

interface CardProps {
  readonly card: Card;
  /** Whether it is the first on the page, whose images are loaded at once. */
  readonly isFirst?: boolean;
  readonly heading?: "h1" | "h2" | "h3";
}

/** A poster that links to the event's page, with the event's own button. */
export function EventCard({ card, isFirst = false, heading: Heading = "h3" }: CardProps) {
  const { event, classes, href, background, action, place, isOnlineToo } = card;
  const name = shortName(event.name, MAX_CARD_NAME_LENGTH);
  return (
    <li class={`card ${classes}${event.pinned ? " featured" : ""}`}>
      {background && <Art src={background} isFirst={isFirst} />}
      <CardTop card={card} isFirst={isFirst} isFeatured={event.pinned} />
      <div class="card-words">
        <Heading class={`name ${nameSize(name)}`} dir="auto">
          <a href={href}>{name}</a>
        </Heading>
        <p class="card-facts">
          <When card={card} />
          {place && (
            <span class="place">
              <bdi>{place}</bdi>
              {isOnlineToo && ", and online"}
            </span>
          )}
        </p>
        <a class="event-button" href={action.href} rel="noreferrer">
          {action.label}
          <span class="hidden">: {shortName(name, 80)}</span>
        </a>
      </div>
    </li>
  );
}

function When({ card: { event, today } }: CardProps) {
  return <time dateTime={dayOfWhen(event, today)}>{whenInWords(event, today)}</time>;
}

/** The logo, and how far away the event is in time. */
export function CardTop(
  { card, isFirst = false, isFeatured = false }: CardProps & {
    readonly isFeatured?: boolean;
  },
) {
  const { event, today, logo } = card;
  return (
    <div class="card-top">
      {logo && <Logo src={logo} isFirst={isFirst} />}
      {isFeatured && <p class="badge">Featured</p>}
      <p class={`state state-${event.status}`}>{stateInWords(event, today)}</p>
    </div>
  );
}

/** A background image, which is decoration; without it the card has the ground's colour. */
export function Art(
  { src, isWide = false, isFirst = false }: {
    readonly src: string;
    /** Whether it may fill the screen. */
    readonly isWide?: boolean;
    readonly isFirst?: boolean;
  },
) {
  const priority = isFirst ? { fetchpriority: "high" } as const : { loading: "lazy" } as const;
  const usual = sizedHref(src, 800);
  const sizes = isWide &&
    { srcset: `${usual} 800w, ${sizedHref(src, 1600)} 1600w`, sizes: "100vw" };
  return (
    <img class="art" src={usual} {...sizes} alt="" decoding="async" {...priority} {...UNLOCKED} />
  );
}

/** A logo, without an alternative text since the name is beside it. */
function Logo(
  { src, isFirst = false }: { readonly src: string; readonly isFirst?: boolean },
) {
  return (
    <img
      class="logo"
      src={sizedHref(src, 800)}
      alt=""
      decoding="async"
      loading={isFirst ? "eager" : "lazy"}
      {...UNLOCKED}
    />
  );
}

/** A line with the day in the event's own colours, the name, the dates, the place and the format. */
export function EventRow({ card, heading: Heading = "h3" }: Omit<CardProps, "isFirst">) {
  const { event: { name, format, inPerson }, href } = card;
  const place = inPerson?.location ?? null;
  return (
    <li class="line">
      <Leaf card={card} />
      <Heading class="name" dir="auto">
        <a href={href}>{shortName(name, 120)}</a>
      </Heading>
      <p class="line-facts fine">
        <When card={card} />
        <bdi class="place">{place !== null && shortName(place, MAX_PLACE_LENGTH)}</bdi>
        <Format format={format} hasPlace={place !== null} />
      </p>
    </li>
  );
}

/** The day of an event as a leaf of a calendar, in the event's own colours; "now" while the event is ongoing. */
function Leaf({ card: { event, classes, today } }: { readonly card: Card }) {
  const { status, endDate } = event;
  if (status === "ongoing") {
    return <p class={`leaf leaf-now ${classes}`} aria-hidden="true">now</p>;
  }
  // Lines of past events are in the order of their last days.
  const lastDay = status === "ended" ? endDate : null;
  const { day, month } = leafOf(lastDay ?? dayOfWhen(event, today));
  return (
    <p class={`leaf ${classes}`} aria-hidden="true">
      <strong>{day}</strong>
      {month}
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

/** A tile in the event's own colours, with its logo, its name, its dates, and whether it is online. */
export function EventTile({ card }: { readonly card: Card }) {
  const { event: { name, format }, classes, href, logo } = card;
  return (
    <li class={`event-tile ${classes}`}>
      {logo && <Logo src={logo} />}
      <div>
        <h3 class="name" dir="auto">
          <a href={href}>{shortName(name, 60)}</a>
        </h3>
        <p>
          <When card={card} />
          {format === "online" ? ", online" : format === "both" && ", also online"}
        </p>
      </div>
    </li>
  );
}
