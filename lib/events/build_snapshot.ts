/** Makes a snapshot of a read: slugs, versions, the signed URLs that are held, and the bodies of events. */

import anyAscii from "any-ascii";
import { createHash } from "node:crypto";
import { joinBytes } from "../platform/bytes.ts";
import { digestOf } from "../platform/digest.ts";
import { forEachInSlices, mapInSlices, nextTurn } from "../platform/timeout.ts";
import { createHistory, meetingDays } from "./history.ts";
import type { StoredEvent } from "./model.ts";
import {
  type EventImage,
  type ParsedRecord,
  type RecordOutcome,
  type RecordProblem,
  RESERVED_NAMES,
} from "./record.ts";
import {
  createBodyReader,
  encodeBody,
  facetsOf,
  type HeldImage,
  type HeldImages,
  type IndexedEvent,
  type Snapshot,
} from "./snapshot.ts";
import { compare } from "./values.ts";

/** A signed URL is held for an hour; about one of its two hours is left then. */
const HOLD_MILLISECONDS = 3_600_000;
/** The hold while the next read may be an hour away. */
const SHORT_HOLD_MILLISECONDS = 600_000;
/** The number of problems kept: more would flood the log. */
const MAX_PROBLEMS = 1_000;
/** The length of the digest of an event's facts: 66 bits are enough to compare versions of one event. */
const FACTS_LENGTH = 11;
const MAX_SLUG_LENGTH = 80;

/**
 * Makes a snapshot of a read.
 *
 * @param previous the snapshot before: its valid signed URLs are kept, and its history is carried on.
 * @param readAt epoch milliseconds at which the read began.
 * @param isHourly whether the next read may be an hour away.
 */
export async function buildSnapshot(
  outcomes: readonly RecordOutcome[],
  previous: Snapshot | null,
  readAt: number,
  isHourly = false,
): Promise<Snapshot> {
  const holdMilliseconds = isHourly ? SHORT_HOLD_MILLISECONDS : HOLD_MILLISECONDS;
  const problems = outcomes.flatMap((outcome) => outcome.problems)
    .toSorted((a, b) => compare(a.recordId, b.recordId));
  await nextTurn();
  const parsed = await withoutTwins(outcomes, problems);
  const unreadable = new Set(
    problems.filter(({ leftOut }) => leftOut).map(({ recordId }) => recordId),
  );
  const earlier = await indexById(previous?.events ?? []);
  const gone = await indexById(previous?.former ?? []);
  const holderOf = (id: string) => {
    const former = gone.get(id);
    return earlier.get(id) ?? (former?.withdrawn === false ? former : undefined);
  };
  const slugs = await assignSlugs(parsed.map(({ event }) => event), holderOf, unreadable);
  await nextTurn();
  const past = previous === null ? null : { known: earlier, gone };
  const history = createHistory(past, readAt, new Set(slugs));
  const held = previous?.images() ?? {};
  const facts = createHash("sha256").update(JSON.stringify(problems));
  const images = new Map<string, HeldImages[string]>();
  await nextTurn();
  const bodyBefore = previous === null ? null : createBodyReader(previous);
  const bodies: Uint8Array<ArrayBuffer>[] = [];
  const events = await mapInSlices(parsed, (record, at): IndexedEvent => {
    const { id } = record.event;
    const image = {
      logo: hold(record.logo, held[id]?.logo, readAt, holdMilliseconds),
      background: hold(record.backgroundImage, held[id]?.background, readAt, holdMilliseconds),
    };
    if (image.logo ?? image.background) images.set(id, image);
    const slug = slugs[at] ?? id;
    const said = factsText(record, slug, readAt);
    facts.update(said);
    const entry = entryOf(record, slug);
    const revision = history.revise(entry, digestOf(said).slice(0, FACTS_LENGTH));
    const before = earlier.get(id);
    // Equal facts and equal URLs make equal bodies, and most events do not change.
    const isSame = before?.facts === revision.facts && held[id]?.logo?.url === image.logo?.url &&
      held[id]?.background?.url === image.background?.url;
    if (before && bodyBefore && isSame) {
      bodies.push(bodyBefore(before));
      if (revision === before) return before;
      return { ...entry, ...revision, digest: before.digest, bytes: before.bytes };
    }
    const body = encodeBody(storedEvent(record, slug, image));
    bodies.push(body);
    return { ...entry, ...revision, digest: digestOf(body), bytes: body.length };
  });
  await nextTurn();
  // Not by assignment: an event may be called `__proto__`.
  const heldImages = Object.fromEntries(images);
  const former = history.former(new Set(parsed.map(({ event }) => event.id)), unreadable);
  if (former.length > 0) facts.update(JSON.stringify(former));
  const factsDigest = facts.digest("base64url");
  // The digest covers the history as well: an event that returns to an earlier state is a new version.
  const versions = events.map(({ digest, changedAt, sequence }) => digest + [changedAt, sequence]);
  await nextTurn();
  const meta = {
    readAt,
    changedAt: previous?.meta.factsDigest === factsDigest ? previous.meta.changedAt : readAt,
    digest: digestOf(factsDigest + versions.join(" ")),
    factsDigest,
    historySince: previous?.meta.historySince ?? readAt,
  };
  // Most reads find nothing new: what follows from the events is then kept.
  if (meta.digest === previous?.meta.digest) return { ...previous, meta };
  return {
    meta,
    events,
    former,
    problems: problems.slice(0, MAX_PROBLEMS),
    bodies: joinBytes(bodies),
    images: () => heldImages,
  };
}

/** All facts of an event as one text: a different text is a different version of the event. */
function factsText(
  { event, logo, backgroundImage }: ParsedRecord,
  slug: string,
  readAt: number,
): string {
  return JSON.stringify([
    slug,
    // Signed URLs change at each read, ids of attachments only with their images.
    withImages(event, logo?.attachmentId, backgroundImage?.attachmentId),
    // The feeds show when an event was announced, and so change when that time comes.
    ...(Date.parse(event.announcedAt) > readAt ? ["to come"] : []),
  ]);
}

/** The event as the index has it. */
function entryOf({ event }: ParsedRecord, slug: string) {
  const { id, name, startDate, endDate, announcedAt } = event;
  const meeting = meetingDays(event);
  return { id, slug, name, startDate, endDate, meeting, announcedAt, ...facetsOf(event) };
}

function storedEvent(
  { event }: ParsedRecord,
  slug: string,
  { logo, background }: HeldImages[string],
): StoredEvent {
  const { id, ...rest } = withImages(event, logo?.url, background?.url);
  return { id, slug, ...rest };
}

function hold(
  image: EventImage | null,
  held: HeldImage | null | undefined,
  readAt: number,
  milliseconds: number,
): HeldImage | null {
  if (image === null) return null;
  const same = held && image.attachmentId !== null && held.attachmentId === image.attachmentId;
  const age = readAt - (held?.heldSince ?? 0);
  return same && age >= 0 && age < milliseconds ? held : { ...image, heldSince: readAt };
}

function withImages(
  event: ParsedRecord["event"],
  logo: string | null | undefined,
  background: string | null | undefined,
): ParsedRecord["event"] {
  const imageUrl = background ?? null;
  if (event.logoUrl === (logo ?? null) && (event.background?.imageUrl ?? null) === imageUrl) {
    return event;
  }
  return {
    ...event,
    logoUrl: logo ?? null,
    background: event.background && { ...event.background, imageUrl },
  };
}

/** The events of the outcomes; of two records with one id the first counts. */
async function withoutTwins(
  outcomes: readonly RecordOutcome[],
  problems: RecordProblem[],
): Promise<readonly ParsedRecord[]> {
  const byId = new Map<string, ParsedRecord>();
  await forEachInSlices(outcomes, ({ parsed }) => {
    if (parsed === null) return;
    const { id } = parsed.event;
    if (byId.has(id)) {
      problems.push({
        recordId: id,
        field: "id",
        reason: "another record has the same id",
        leftOut: true,
      });
    } else byId.set(id, parsed);
  });
  await nextTurn();
  // The order of the records in the store is not a fact of the events.
  return [...byId.values()].toSorted((a, b) => compare(a.event.id, b.event.id));
}

/**
 * The slug of a name: lower-case ASCII words joined by `-`, accents folded and other scripts
 * transliterated; "" if that leaves no character of the name.
 */
export function slugOf(name: string): string {
  // The slice is far longer than any slug. With it, a name of 100 KB costs no more than a short one.
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
  holderOf = (_id: string): Pick<StoredEvent, "name" | "slug"> | undefined => undefined,
  unreadable: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const ids = new Set(events.map((event) => event.id));
  await nextTurn();
  const taken = new Set(RESERVED_NAMES).union(ids);
  const next = new Map<string, number>();
  const newcomers: { readonly event: Named; readonly plain: string; readonly at: number }[] = [];
  const slugs = await mapInSlices(events, (event, at) => {
    const { id, name } = event;
    const before = holderOf(id);
    const isFree = before !== undefined && before.slug !== id && !taken.has(before.slug);
    if (isFree && haveSameSlug(before.name, name)) {
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

async function indexById<T extends { readonly id: string }>(
  events: readonly T[],
): Promise<Map<string, T>> {
  const byId = new Map<string, T>();
  await forEachInSlices(events, (event) => byId.set(event.id, event));
  return byId;
}

/** Nearly every event has the name that it had, and making slugs takes time. */
function haveSameSlug(name: string, other: string): boolean {
  return name === other || slugOf(name) === slugOf(other);
}
