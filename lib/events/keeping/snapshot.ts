/**
 * The snapshot: one read of the record store, stored for all isolates. It is made of the records, of the history, and
 * of the snapshot before, whose signed URLs are held.
 */

import { digestOf } from "../../platform/digest.ts";
import { forEachInSlices, mapInSlices } from "../../platform/timeout.ts";
import {
  continueHistory,
  type FormerEvent,
  haveSameItems,
  type History,
  indexById,
  type Revision,
} from "./history.ts";
import type { LostColumn, ReadColumns } from "../reading/loss.ts";
import type { EventImage, StoredEvent } from "../model.ts";
import type { ParsedRecord, RecordOutcome, RecordProblem } from "../reading/record.ts";
import { assignSlugs } from "../reading/slugs.ts";
import { meetingDays } from "../days.ts";
import { compare } from "../values.ts";

/** A signed URL, and since when it is held (epoch milliseconds of its read). */
export interface HeldImage extends EventImage {
  readonly heldSince: number;
}

interface HeldImages {
  readonly logo: HeldImage | null;
  readonly background: HeldImage | null;
}

/** An event of a snapshot: its facts, its version and its images. */
export interface KeptEvent extends StoredEvent, Revision {
  readonly held: HeldImages;
}

/** The metadata of a snapshot in its pointer in KV; times are epoch milliseconds. */
export interface SnapshotMeta {
  /** When the read of the store began: no data of the snapshot are older. */
  readonly readAt: number;
  /** When the facts last changed. Signed URLs are not facts; events that are gone are. */
  readonly changedAt: number;
  /** The first read of the history. */
  readonly since: number;
  /** The versionstamp of the last notification before the read (`freshness.ts`), if there was one. */
  readonly served?: string;
  /** The hook that was alive when the read began (`airtable/webhook.ts`), if there was one. */
  readonly hookId?: string;
}

/** A snapshot in memory. */
export interface Snapshot {
  readonly meta: SnapshotMeta;
  /** Ordered by their ids. */
  readonly events: readonly KeptEvent[];
  /** The events that disappeared within the last 30 days. */
  readonly former: readonly FormerEvent[];
  /** Some problems of records: those that hide events first. */
  readonly problems: readonly RecordProblem[];
  /** How many records could not become events, and how many events are shown without a cell. */
  readonly leftOut: number;
  readonly inPart: number;
  /** The columns without which the events are shown; absent without any. */
  readonly lost?: readonly LostColumn[];
}

/** The state that a read continues: null where nothing is known. */
interface Past {
  readonly history: History | null;
  readonly snapshot: Snapshot | null;
}

/** The result of a read. */
export interface Built {
  readonly history: History;
  readonly snapshot: Snapshot;
}

/** A signed URL is held for an hour; about one of its two hours is left then. */
const HOLD_MILLISECONDS = 3_600_000;
/** The hold while the next read may be an hour away. */
const SHORT_HOLD_MILLISECONDS = 600_000;
/** The number of problems kept: more would flood the log. */
const MAX_PROBLEMS = 1_000;
/** The length of the digest of an event's facts: 66 bits are enough to compare versions of one event. */
const FACTS_LENGTH = 11;

/**
 * Makes a snapshot of a read. An event that has not changed is the object that the snapshot before had, so that what
 * was made of it is kept.
 *
 * @param readAt epoch milliseconds at which the read began.
 * @param columns what the read has found in its columns.
 * @param isHourly whether the next read may be an hour away.
 */
export async function buildSnapshot(
  outcomes: readonly RecordOutcome[],
  { history: past, snapshot: before }: Past,
  readAt: number,
  { counts, lost }: ReadColumns,
  isHourly = false,
): Promise<Built> {
  const holdMilliseconds = isHourly ? SHORT_HOLD_MILLISECONDS : HOLD_MILLISECONDS;
  const earlier = indexById(before?.events ?? []);
  const hasNoMoments = lost.some(({ field }) => field === "announcedAt");
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  const parsed = await withoutDuplicates(
    outcomes.flatMap(({ parsed, fields }) => {
      if (parsed === null) return [];
      const known = hasNoMoments && !fields.includes("announcedAt")
        ? earlier.get(parsed.event.id)
        : undefined;
      if (known === undefined) return [parsed];
      // Else the feeds would be in another order, by the creation of the records.
      return [{ ...parsed, event: { ...parsed.event, announcedAt: known.announcedAt } }];
    }),
    problems,
  );
  // Those that hide events are kept first.
  problems.sort((a, b) => Number(b.leftOut) - Number(a.leftOut) || compare(a.recordId, b.recordId));
  const unreadable = new Set(
    problems.filter(({ leftOut }) => leftOut).map(({ recordId }) => recordId),
  );
  const known = indexById(past?.events ?? []);
  const gone = indexById((past?.former ?? []).filter(({ withdrawn }) => !withdrawn));
  const slugs = await assignSlugs(
    parsed.map(({ event }) => event),
    (id) => known.get(id) ?? gone.get(id),
    unreadable,
  );
  const found = await mapInSlices(parsed, (record, at) => {
    const { id, name, startDate, endDate, announcedAt, format, projectTypes, pinned, inPerson } =
      record.event;
    const location = inPerson?.location ?? undefined;
    const slug = slugs[at] ?? id;
    const facts = digestOf(factsText(record, slug, readAt)).slice(0, FACTS_LENGTH);
    const days = { startDate, endDate, meeting: meetingDays(record.event) };
    const facets = { format, projectTypes, pinned, ...location !== undefined && { location } };
    // The first read of a store knows only when the events were announced.
    const changedAt = past === null ? Math.min(Date.parse(announcedAt), readAt) : readAt;
    return { id, slug, name, ...days, ...facets, facts, changedAt, sequence: 0 };
  });
  const reading = {
    unreadable,
    problems: digestOf(JSON.stringify(problems)),
    readAt,
    columns: counts,
  };
  const history = await continueHistory(past, found, reading);
  const events = await mapInSlices(parsed, (record, at): KeptEvent => {
    // The history has an entry for each event that was found, in their order.
    const entry = history.events[at] as History["events"][number];
    const kept = earlier.get(entry.id);
    const held = {
      logo: hold(record.logo, kept?.held.logo, readAt, holdMilliseconds),
      background: hold(record.backgroundImage, kept?.held.background, readAt, holdMilliseconds),
    };
    const revision = revisionOf(entry);
    const isSame = kept !== undefined && held.logo === kept.held.logo &&
      held.background === kept.held.background &&
      JSON.stringify(revisionOf(kept)) === JSON.stringify(revision);
    if (isSame) return kept;
    const { id, ...rest } = withImages(record.event, held.logo?.url, held.background?.url);
    return { id, slug: entry.slug, ...rest, ...revision, held };
  });
  const { changedAt, since, former } = history;
  const meta: SnapshotMeta = { readAt, changedAt, since };
  const isSame = before?.meta.changedAt === changedAt && haveSameItems(before.events, events) &&
    JSON.stringify(before.lost ?? []) === JSON.stringify(lost);
  const snapshot = isSame ? { ...before, meta } : {
    ...{ meta, events, former, problems: problems.slice(0, MAX_PROBLEMS) },
    leftOut: outcomes.filter(({ problems }) => problems.some(({ leftOut }) => leftOut)).length +
      outcomes.filter(({ parsed }) => parsed !== null).length - events.length,
    inPart:
      outcomes.filter(({ parsed, problems }) => parsed !== null && problems.length > 0).length,
    ...lost.length > 0 && { lost },
  };
  return { history, snapshot };
}

function revisionOf({ changedAt, sequence, facts, returnedAt, formerSlugs }: Revision): Revision {
  return {
    ...{ changedAt, sequence, facts },
    ...returnedAt !== undefined && { returnedAt },
    ...formerSlugs !== undefined && { formerSlugs },
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
    // Signed URLs change at each read, ids of attachments only with their images. A plain address is its image's id.
    withImages(
      event,
      logo?.attachmentId ?? logo?.url,
      backgroundImage?.attachmentId ?? backgroundImage?.url,
    ),
    // The feeds show when an event was announced, and so change when that time comes.
    ...(Date.parse(event.announcedAt) > readAt ? ["to come"] : []),
  ]);
}

/** The image that is shown: the one that is held, while it is the same and young enough. */
function hold(
  image: EventImage | null,
  held: HeldImage | null | undefined,
  readAt: number,
  milliseconds: number,
): HeldImage | null {
  if (image === null) return null;
  const isSame = held && held.attachmentId === image.attachmentId &&
    (image.attachmentId !== null || held.url === image.url);
  const age = readAt - (held?.heldSince ?? 0);
  // An address that is not an attachment does not expire.
  const isYoung = image.attachmentId === null || age >= 0 && age < milliseconds;
  return isSame && isYoung ? held : { ...image, heldSince: readAt };
}

function withImages(
  event: ParsedRecord["event"],
  logo: string | null | undefined,
  background: string | null | undefined,
): ParsedRecord["event"] {
  return {
    ...event,
    logoUrl: logo ?? null,
    background: event.background && { ...event.background, imageUrl: background ?? null },
  };
}

/** The records, ordered by id; of two with one id the first counts. */
async function withoutDuplicates(
  records: readonly ParsedRecord[],
  problems: RecordProblem[],
): Promise<readonly ParsedRecord[]> {
  const byId = new Map<string, ParsedRecord>();
  await forEachInSlices(records, (record) => {
    const { id } = record.event;
    if (byId.has(id)) {
      const reason = "another record has the same id";
      problems.push({ recordId: id, field: "id", reason, leftOut: true });
    } else byId.set(id, record);
  });
  // The order of the records in the store is not a fact of the events.
  return [...byId.values()].toSorted((a, b) => compare(a.event.id, b.event.id));
}
