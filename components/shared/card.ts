/** An event as its components need it: its day, its theme, the addresses of its images, its links. */

import type { Catalog } from "../../lib/events/catalog.ts";
import { type Event, eventHref } from "../../lib/events/model.ts";
import { imageHref } from "../../lib/events/pictures/images.ts";
import { noSuchEvent, requireNotWithdrawn } from "../../lib/events/respond.ts";
import { actionOf } from "../../lib/events/site/facts.ts";
import { MAX_NAME_LENGTH, MAX_PLACE_LENGTH, shortName } from "../../lib/events/site/short_text.ts";
import type { Labelled } from "../../lib/events/site/site.ts";
import { type CardTheme, cardTheme, plainTheme, themeClass } from "../../lib/events/theme/theme.ts";
import { placeOf } from "../../lib/events/words.ts";

/** An event and what its components show. */
export interface Card {
  readonly event: Event;
  /** The day on which it is shown: `YYYY-MM-DD`. */
  readonly today: string;
  /** Where it is, in a few words; null if it is not known. */
  readonly place: string | null;
  /** Whether it is online beside its place. */
  readonly isOnlineToo: boolean;
  readonly theme: CardTheme;
  /** The classes that carry the theme. */
  readonly classes: string;
  readonly href: string;
  /** Addresses on this site; null where the event has no such image. */
  readonly logo: string | null;
  readonly background: string | null;
  /** The event's button. */
  readonly action: Labelled;
}

/**
 * Creates the card of an event.
 *
 * @param isPlain whether it is a line or a tile, which needs few of the theme's rules and no background image.
 */
export function createCard(
  event: Event,
  { catalog, today }: { readonly catalog: Catalog; readonly today: string },
  isPlain = false,
): Card {
  const theme = isPlain ? plainTheme(cardTheme(event)) : cardTheme(event);
  const { format, inPerson } = event;
  const location = inPerson?.location ? shortName(inPerson.location, MAX_PLACE_LENGTH) : null;
  const isOnlineToo = format === "both" && location !== null;
  const pattern = theme.pattern === null ? "" : ` pattern-${theme.pattern}`;
  return {
    event,
    today,
    place: isOnlineToo
      ? location
      : placeOf({ format, inPerson: inPerson && { ...inPerson, location } }),
    isOnlineToo,
    theme,
    classes: `${themeClass(theme)}${theme.scrim === null ? "" : " scrimmed"}${pattern}`,
    href: eventHref(event.slug),
    logo: imageHref(catalog, event.id, "logo"),
    background: theme.scrim === null ? null : imageHref(catalog, event.id, "background"),
    action: actionOf(event),
  };
}

/** The class of a name's size: the longer the name or its longest word, the smaller the size. */
export function nameSize(name: string): string {
  const longestWord = Math.max(
    ...name.slice(0, MAX_NAME_LENGTH).split(/[\s/-]+/).map((word) => word.length),
  );
  const size = Math.max(name.length, longestWord * 2.2);
  if (size <= 14) return "name-xl";
  if (size <= 28) return "name-l";
  if (size <= 60) return "name-m";
  return size <= 130 ? "name-s" : "name-xs";
}

/**
 * The event of an id, a slug or a former slug: the address of a frame must survive a renaming.
 *
 * @throws {PublicError} `not_found` if there is none, `gone` if it was withdrawn.
 */
export function eventInFrame(catalog: Catalog, name: string): Event {
  const event = catalog.event(name) ?? catalog.event(catalog.slugOfRenamed(name) ?? "");
  if (event !== null) return event;
  requireNotWithdrawn(catalog, name);
  throw noSuchEvent(catalog, "There is no such event.", "All events are on the home page.");
}
