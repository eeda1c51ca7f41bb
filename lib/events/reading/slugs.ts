/** Slugs: the name of an event as a part of an address, unique, and kept until the event is renamed. */

import anyAscii from "any-ascii";
import { forEachInSlices, mapInSlices } from "../../platform/timeout.ts";
import { RESERVED_NAMES } from "./record.ts";
import { compare } from "../values.ts";

const MAX_SLUG_LENGTH = 80;

/**
 * The slug of a name: lower-case ASCII words joined by `-`, accents folded and other scripts
 * transliterated; "" if that leaves no character of the name.
 */
export function slugOf(name: string): string {
  // The slice is far longer than any slug. With it, a long name costs no more than a short one.
  const ascii = anyAscii(name.normalize("NFKC").slice(0, 4 * MAX_SLUG_LENGTH)).toLowerCase();
  const slug = ascii.replace(/['’]/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  if (slug.length <= MAX_SLUG_LENGTH) return slug;
  const cut = slug.lastIndexOf("-", MAX_SLUG_LENGTH);
  return slug.slice(0, cut > 0 ? cut : MAX_SLUG_LENGTH);
}

/** The facts that slugs are made of. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly announcedAt: string;
}

/**
 * A slug for each event, in the order given. An event keeps its slug until it is renamed, so that changes of
 * other events do not move it. New events of one name get the plain slug and then `-2`, `-3`, in the order of
 * their announcement. {@linkcode RESERVED_NAMES} and every event's id are reserved.
 *
 * @param holderOf the event of an earlier read with this id, with the slug that it had.
 * @param unreadable the ids of invalid records, whose slugs are kept until the records are valid again.
 */
export async function assignSlugs(
  events: readonly Named[],
  holderOf = (_id: string): { readonly name: string; readonly slug: string } | undefined =>
    undefined,
  unreadable: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const ids = new Set(events.map((event) => event.id));
  const taken = new Set(RESERVED_NAMES).union(ids);
  const next = new Map<string, number>();
  const newcomers: { readonly event: Named; readonly plain: string; readonly at: number }[] = [];
  const slugs = await mapInSlices(events, (event, at) => {
    const { id, name } = event;
    const before = holderOf(id);
    const isFree = before !== undefined && before.slug !== id && !taken.has(before.slug);
    // Nearly every event has the name that it had, and making slugs takes time.
    if (isFree && (before.name === name || slugOf(before.name) === slugOf(name))) {
      taken.add(before.slug);
      return before.slug;
    }
    const plain = slugOf(name);
    if (plain !== "") newcomers.push({ event, plain, at });
    return id;
  });
  for (const id of unreadable.difference(ids)) {
    const before = holderOf(id);
    if (before !== undefined) taken.add(before.slug);
  }
  newcomers.sort((a, b) =>
    compare(a.event.announcedAt, b.event.announcedAt) || compare(a.event.id, b.event.id)
  );
  await forEachInSlices(newcomers, ({ plain, at }) => {
    let count = next.get(plain) ?? 1;
    const numbered = () => count === 1 ? plain : `${plain}-${count}`;
    while (taken.has(numbered())) count++;
    taken.add(numbered());
    next.set(plain, count + 1);
    slugs[at] = numbered();
  });
  return slugs;
}
