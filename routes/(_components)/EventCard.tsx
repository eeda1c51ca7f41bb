/** An event's card: a poster in the event's own colours, and a small card for a past event. */

import {
  dayOfWhen,
  MAX_PLACE_LENGTH,
  shortName,
  stateInWords,
  whenInWords,
} from "../../lib/site/mod.ts";
import { type ImageWidth, sizedHref } from "../../lib/pictures/mod.ts";
import type { Event } from "../../lib/events/mod.ts";
import { type Card, nameSize } from "../(_shared)/card.ts";

interface CardProps {
  readonly card: Card;
  /** Whether it is the first on the page, whose images are loaded at once. */
  readonly isFirst?: boolean;
}

/** A poster that links to the event's page, with the event's own button. */
export function EventCard({ card, isFirst = false }: CardProps) {
  const { event, classes, href, background, action } = card;
  const name = shortName(event.name);
  return (
    <li class={`card ${classes}`}>
      {background && <Art src={background} width={800} isFirst={isFirst} />}
      <CardTop card={card} isFirst={isFirst} />
      <div class="card-words">
        <h3 class={`name ${nameSize(name)}`} dir="auto">
          <a href={href}>{name}</a>
        </h3>
        <CardFacts card={card} maxPlaceLength={MAX_PLACE_LENGTH} />
        <a class="event-button" href={action.href} rel="noreferrer">
          {action.label}
          <span class="hidden">: {shortName(name, 80)}</span>
        </a>
      </div>
    </li>
  );
}

/** A past event: a small poster with its name and date below. */
export function PastCard({ card }: CardProps) {
  const { event, place, classes, href, logo, background } = card;
  return (
    <li class="past">
      <div class={`tile ${classes}`} aria-hidden="true">
        {background && <Art src={background} width={400} />}
        {logo ? <Logo src={logo} /> : !background && <Initial name={event.name} />}
      </div>
      <h3 dir="auto">
        <a href={href}>{shortName(event.name, 120)}</a>
      </h3>
      <p class="fine">
        <When card={card} />
        {place && <bdi>{` · ${shortName(place, 60)}`}</bdi>}
      </p>
    </li>
  );
}

/** The first letter or digit of a name, in place of a picture. */
function Initial({ name }: { name: string }) {
  const [letter = "·"] = /[\p{L}\p{N}]/u.exec(name) ?? [];
  return <span class="initial">{letter.toUpperCase()}</span>;
}

/** The dates and the place of a card. */
export function CardFacts({ card, maxPlaceLength }: CardProps & {
  readonly maxPlaceLength: number;
}) {
  return (
    <p class="card-facts row">
      <When card={card} />
      {card.place && <bdi class="place">{shortName(card.place, maxPlaceLength)}</bdi>}
    </p>
  );
}

/** When an event is, in words and as a date for machines. */
export function When({ card: { event, today } }: CardProps) {
  // An event that has ended keeps its dates.
  const days = event.status === "ended" ? undefined : daysOf(event);
  return (
    <time dateTime={dayOfWhen(event, today)} data-days={days}>
      {whenInWords(event, today)}
    </time>
  );
}

/** How far away an event is in time. */
function State({ card: { event, today } }: CardProps) {
  return (
    <p class={`state state-${event.status}`} data-days={daysOf(event)}>
      {stateInWords(event, today)}
    </p>
  );
}

/** The days of an event for `islands/Days.tsx`; without a last day nothing follows the slash. */
function daysOf({ startDate, endDate }: Event): string {
  return `${startDate}/${endDate ?? ""}`;
}

/** The logo, and how far away the event is in time. */
export function CardTop({ card, isFirst = false, logoWidth = 400 }: CardProps & {
  readonly logoWidth?: ImageWidth;
}) {
  const { logo } = card;
  return (
    <div class="card-top">
      {logo && <Logo src={logo} width={logoWidth} isFirst={isFirst} />}
      <State card={card} />
    </div>
  );
}

/** Keeps upstream Fresh from adding the build's id to an image's address: the same image would have many. */
const UNLOCKED = { "data-fresh-disable-lock": true };

/** A background image, which is decoration; without it the card has the ground's colour. */
export function Art(
  { src, width, isFirst = false }: {
    src: string;
    /** The width in pixels; `wide` where it may fill the screen. */
    width: ImageWidth | "wide";
    isFirst?: boolean;
  },
) {
  const priority = isFirst ? { fetchpriority: "high" } as const : { loading: "lazy" } as const;
  const sizes = width !== "wide" ? {} : {
    srcset: `${sizedHref(src, 800)} 800w, ${sizedHref(src, 1600)} 1600w`,
    sizes: "100vw",
  };
  const usual = sizedHref(src, width === "wide" ? 800 : width);
  return (
    <img class="art" src={usual} {...sizes} alt="" decoding="async" {...priority} {...UNLOCKED} />
  );
}

/** A logo, without an alternative text since the name is beside it. */
function Logo(
  { src, width = 400, isFirst = false }: { src: string; width?: ImageWidth; isFirst?: boolean },
) {
  return (
    <img
      class="logo"
      src={sizedHref(src, width)}
      alt=""
      decoding="async"
      loading={isFirst ? "eager" : "lazy"}
      {...UNLOCKED}
    />
  );
}
