/**
 * The cards of the home page as text. Rendering them takes a fifth of a page's time, and every filter shows some of the
 * same cards, so each is rendered once for each event and day.
 */

import { renderToString } from "preact-render-to-string";
import type { Event } from "../../lib/events/model.ts";
import type { Group } from "../../lib/events/site/listing.ts";
import type { CardTheme } from "../../lib/events/theme/theme.ts";
import { yieldToLoop } from "../../lib/platform/timeout.ts";
import { createCard } from "./card.ts";
import { EventCard, EventRow, EventTile } from "./EventCard.tsx";

/** A card as HTML, a list item, and the theme whose rules it needs. */
interface CardText {
  readonly html: string;
  readonly theme: CardTheme;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Scope = Parameters<typeof createCard>[1];
type Kind = Group["kind"];

/** The texts of a day. An unchanged event is the same object in later catalogs. */
const known = new WeakMap<Event, { readonly today: string; readonly texts: Map<Kind, CardText> }>();

/** The cards of groups in their order; those that are not known yet are rendered between requests. */
export async function cardTexts(groups: readonly Group[], scope: Scope): Promise<CardText[][]> {
  // On a narrow screen this is the only image in sight, so it is loaded first.
  const first = groups.find(({ kind }) => kind === "poster")?.events[0];
  const texts: CardText[][] = [];
  for (const { kind, events } of groups) {
    const group: CardText[] = [];
    for (const event of events) {
      const text = event === first ? undefined : known.get(event);
      const kept = text?.today === scope.today ? text.texts.get(kind) : undefined;
      group.push(kept ?? render(event, kind, scope, event === first));
      if (kept === undefined) await yieldToLoop();
    }
    texts.push(group);
  }
  return texts;
}

function render(event: Event, kind: Kind, scope: Scope, isFirst: boolean): CardText {
  const card = createCard(event, scope, kind !== "poster");
  const Shown = { poster: EventCard, row: EventRow, tile: EventTile }[kind];
  const rendered = renderToString(<Shown card={card} isFirst={isFirst} />);
  // The engine keeps a text as the tree of its parts, and each page with the card would walk it. Decoding gives one piece.
  const html = decoder.decode(encoder.encode(rendered));
  const text = { html, theme: card.theme };
  if (isFirst) return text;
  const before = known.get(event);
  const texts = before?.today === scope.today ? before.texts : new Map<Kind, CardText>();
  known.set(event, { today: scope.today, texts: texts.set(kind, text) });
  return text;
}
