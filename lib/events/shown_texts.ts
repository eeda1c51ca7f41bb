/**
 * The texts of an event as cards, feeds and calendars show them. A cell may hold more than any of their readers wants,
 * and one long text would be sent with each of them, so only the API and the event's page have it whole.
 */

import type { StoredEvent } from "./model.ts";

/** The most characters of one text. */
export const MAX_SHOWN_CHARACTERS = 20_000;
/** The most bytes of all texts of an event. */
const MAX_SHOWN_BYTES = 64 * 1024;
/** The most that requirements take from the description. */
const MAX_REQUIREMENTS_BYTES = 16 * 1024;
/** No more than that is given up to end with a whole word. */
const MAX_WORD_LENGTH = 200;

type Texts = Pick<StoredEvent, "description" | "requirements">;

const encoder = new TextEncoder();
const sizeOf = (text: string | null) => text === null ? 0 : encoder.encode(text).length;

/** The description and the requirements of an event. @param address where the whole texts are. */
export function shownTexts(event: StoredEvent, address: string): Texts {
  const { description, requirements, name, url, slackUrl, slackChannel, inPerson } = event;
  // Three bytes at most for each character.
  const length = (description?.length ?? 0) + (requirements?.length ?? 0);
  if (length <= MAX_REQUIREMENTS_BYTES / 3) return event;
  const lines = [name, url, slackUrl, slackChannel, inPerson?.location ?? null];
  const left = MAX_SHOWN_BYTES - lines.reduce((sum, line) => sum + sizeOf(line), 0);
  const shown = requirements && cut(requirements, Math.min(left, MAX_REQUIREMENTS_BYTES), address);
  return {
    requirements: shown,
    description: description && cut(description, left - sizeOf(shown), address),
  };
}

/** The beginning of a text, up to a word, with the address of the whole. */
function cut(text: string, bytes: number, address: string): string {
  if (text.length <= MAX_SHOWN_CHARACTERS && sizeOf(text) <= bytes) return text;
  const end = `… ${address}`;
  const room = new Uint8Array(Math.max(0, bytes - sizeOf(end)));
  const first = text.slice(0, MAX_SHOWN_CHARACTERS - end.length);
  const { read } = encoder.encodeInto(first, room);
  const whole = first.slice(0, read);
  const word = whole.search(/\s\S*$/);
  const isNear = word > whole.length - MAX_WORD_LENGTH;
  return (isNear ? whole.slice(0, word) : whole).toWellFormed().trimEnd() + end;
}
