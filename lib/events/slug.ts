/** Slugs: what an event is called in an address. */

import anyAscii from "any-ascii";
import { compare } from "./values.ts";

const MAX_LENGTH = 80;

/** What slugs are made of. */
export interface Named {
  readonly id: string;
  readonly name: string;
  readonly announcedAt: string;
}

/**
 * The slug of a name: lower-case ASCII words joined by `-`, accents folded and other scripts
 * transliterated; "" if nothing of the name can be written so.
 */
export function slugOf(name: string): string {
  // Far more than a slug keeps, so that a name of 100 KB costs no more than a short one.
  const ascii = anyAscii(name.normalize("NFKC").slice(0, 4 * MAX_LENGTH)).toLowerCase();
  const slug = ascii.replace(/['’]/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  if (slug.length <= MAX_LENGTH) return slug;
  const cut = slug.lastIndexOf("-", MAX_LENGTH);
  return slug.slice(0, cut > 0 ? cut : MAX_LENGTH);
}

/**
 * A slug for each event, in the order given. Of events with one name, the one announced first keeps
 * the plain slug and later ones get `-2`, `-3`, so that announcing an event never moves another.
 * `rss` (the feed's address) and every event's id are taken from the start.
 */
export function assignSlugs(events: readonly Named[]): string[] {
  const taken = new Set(["rss", ...events.map((event) => event.id)]);
  const next = new Map<string, number>();
  const slugs = new Map<Named, string>();
  const byAnnouncement = events.toSorted((a, b) =>
    compare(a.announcedAt, b.announcedAt) || compare(a.id, b.id)
  );
  for (const event of byAnnouncement) {
    const plain = slugOf(event.name);
    if (plain === "") {
      slugs.set(event, event.id);
      continue;
    }
    let count = next.get(plain) ?? 1;
    const numbered = () => count === 1 ? plain : `${plain}-${count}`;
    while (taken.has(numbered())) count++;
    taken.add(numbered());
    next.set(plain, count + 1);
    slugs.set(event, numbered());
  }
  return events.map((event) => slugs.get(event) ?? event.id);
}
