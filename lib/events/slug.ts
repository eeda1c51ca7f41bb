/** Slugs: the names of events in addresses. */

import anyAscii from "any-ascii";
import { compare } from "./values.ts";

const MAX_LENGTH = 80;
/** Neither ids nor slugs: below `/api/v1/events/` they are addresses of their own, such as the feed's. */
export const RESERVED_NAMES: readonly string[] = ["rss"];

/** The facts that slugs are made of. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly announcedAt: string;
}

/**
 * The slug of a name: lower-case ASCII words joined by `-`, accents folded and other scripts
 * transliterated; "" if that leaves no character of the name.
 */
export function slugOf(name: string): string {
  // The slice is far longer than any slug. With it, a name of 100 KB costs no more than a short one.
  const ascii = anyAscii(name.normalize("NFKC").slice(0, 4 * MAX_LENGTH)).toLowerCase();
  const slug = ascii.replace(/['’]/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  if (slug.length <= MAX_LENGTH) return slug;
  const cut = slug.lastIndexOf("-", MAX_LENGTH);
  return slug.slice(0, cut > 0 ? cut : MAX_LENGTH);
}

/** A slug of an earlier read, and the name that it was made of. */
interface HeldSlug {
  readonly name: string;
  readonly slug: string;
}

/** The slugs of earlier reads. */
export interface HeldSlugs {
  /** By the id of the event that has it. */
  readonly byId: ReadonlyMap<string, HeldSlug>;
  /** Slugs of events whose records are invalid now: they are kept until the records are valid again. */
  readonly reserved: Iterable<string>;
}

/** The first read of a store has no earlier slugs. */
export const NO_HELD_SLUGS: HeldSlugs = { byId: new Map(), reserved: [] };

/**
 * A slug for each event, in the order given. An event keeps its slug until it is renamed, so that changes of
 * other events do not move it. New events of one name get the plain slug and then `-2`, `-3`, in the order of
 * their announcement. {@linkcode RESERVED_NAMES} and every event's id are reserved.
 */
export function assignSlugs(events: readonly Named[], held = NO_HELD_SLUGS): string[] {
  const taken = new Set([...RESERVED_NAMES, ...events.map((event) => event.id)]);
  const next = new Map<string, number>();
  const slugs = new Map<Named, string>();
  const newcomers: { readonly event: Named; readonly plain: string }[] = [];
  for (const event of events) {
    const before = held.byId.get(event.id);
    const isFree = before !== undefined && before.slug !== event.id && !taken.has(before.slug);
    if (isFree && haveSameSlug(before.name, event.name)) {
      slugs.set(event, before.slug);
      taken.add(before.slug);
      continue;
    }
    const plain = slugOf(event.name);
    if (plain === "") slugs.set(event, event.id);
    else newcomers.push({ event, plain });
  }
  for (const slug of held.reserved) taken.add(slug);
  newcomers.sort((a, b) =>
    compare(a.event.announcedAt, b.event.announcedAt) || compare(a.event.id, b.event.id)
  );
  for (const { event, plain } of newcomers) {
    let count = next.get(plain) ?? 1;
    const numbered = () => count === 1 ? plain : `${plain}-${count}`;
    while (taken.has(numbered())) count++;
    taken.add(numbered());
    next.set(plain, count + 1);
    slugs.set(event, numbered());
  }
  return events.map((event) => slugs.get(event) ?? event.id);
}

/** Nearly every event has the name that it had, and making slugs takes time. */
function haveSameSlug(name: string, other: string): boolean {
  return name === other || slugOf(name) === slugOf(other);
}
