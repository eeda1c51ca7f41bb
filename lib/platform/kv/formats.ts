/**
 * The format of each kind of stored value, because two versions of the service may use one database.
 *
 * A value states its format in its member `format`; a value without that member has format 1 (`STORAGE.md`).
 * Every read goes through `list.ts` and every write through `write.ts`, which apply this table.
 */

import type { Log } from "../log.ts";

/** One kind of value. */
interface Kind {
  /** Whether a value cannot be made again. If it can, a value of any other format counts as absent. */
  readonly isKept: boolean;
  /** The newest format that this version reads; of a kept kind it also reads every earlier one. */
  readonly reads: number;
  /** The format that this version writes. */
  readonly writes: number;
}

const kept = (reads: number, writes = reads): Kind => ({ isKept: true, reads, writes });
const made = (format: number): Kind => ({ isKept: false, reads: format, writes: format });

/** Kinds by the first parts of their keys. */
export type Formats = Readonly<Record<string, Kind>>;

/**
 * Every kind of value, by the first part of its key or by the first two. The number of a blob is in its
 * pointer: `blob events` is the snapshot with all of its chunks.
 */
export const FORMATS: Formats = {
  "account": kept(1),
  "key": kept(1),
  "key_of_account": kept(1),
  "account_of_person": kept(1),
  "restriction": kept(1),
  "account_of_reference": kept(1),
  "change": kept(1),
  "spend": kept(1),
  "spend_of_key": kept(1),
  "service_spend": kept(1),
  "service_day": kept(1),
  "reservations": kept(1),
  "usage": kept(1),
  "outbox": kept(1),
  "analytics rows": kept(1),
  "analytics pages": kept(1),
  "analytics aside": kept(1),
  "health_day": kept(1),
  "key_last_used": made(1),
  "session": made(1),
  "session_of_account": made(1),
  "sign_in_used": made(1),
  "departed": made(1),
  "days_seen": made(1),
  "rate": made(1),
  "service_allowance": made(1),
  "events pause": made(1),
  "events failure": made(1),
  "events calls": made(1),
  "events mark": made(1),
  "events hook": made(1),
  "analytics pause": made(1),
  "analytics refusals": made(1),
  "unpaintable": made(1),
  "blob events": made(1),
  "blob models": made(1),
  "blob decision_models": made(1),
  "blob health": made(1),
  "blob versions": made(1),
  "blob chunks": made(1),
  "lease": made(1),
  "turn": made(1),
  "jobs": made(1),
  "restore": made(1),
};

/** The kinds of values that cannot be made again. */
export const KEPT_KINDS: readonly string[] = Object.entries(FORMATS)
  .flatMap(([name, { isKept }]) => isKept ? [name] : []);

/** A newer version wrote a kept value. This version neither uses nor changes it. */
export class NewerFormatError extends Error {
  override name = "NewerFormatError";

  constructor(readonly kind: string, key: Deno.KvKey, stored: number, known: number) {
    super(
      `${JSON.stringify(key)} is stored in format ${stored}, and this version of Foyer knows ` +
        `format ${known}: it leaves the value as it is. Run the newer version.`,
    );
  }
}

/** An entry as this version may use it: the value is also null if its format makes it count as absent. */
export interface Entry<T> {
  readonly key: Deno.KvKey;
  readonly value: T | null;
  /** The stored value's, in any format, so that a check of the entry also covers a value that counts as absent. */
  readonly versionstamp: string | null;
}

/** Called for a kept value of a newer format, which then counts as absent; without it, such a value throws. */
export type LeaveOut = (error: NewerFormatError) => void;

/**
 * The entry as this version may use it.
 *
 * @throws {NewerFormatError} for a kept value of a newer format, unless `leaveOut` is given.
 */
export function readable<T>(
  entry: Deno.KvEntryMaybe<T>,
  leaveOut?: LeaveOut,
  formats = FORMATS,
): Entry<T> {
  if (entry.value === null) return entry;
  const { name, kind } = kindOf(entry.key, formats);
  const stored = formatOf(entry.value);
  if (stored === kind.reads || kind.isKept && stored < kind.reads) return entry;
  if (kind.isKept) {
    const error = new NewerFormatError(name, entry.key, stored, kind.reads);
    if (leaveOut === undefined) throw error;
    leaveOut(error);
  }
  return { ...entry, value: null };
}

/** How long a value lives, in milliseconds by the clock of this process. */
export interface Lifetime {
  readonly expireIn?: number;
}

/**
 * The value in its stored form: with its format, unless that is 1.
 *
 * @throws {TypeError} if the table lacks the kind, if the value is not an object and so cannot hold its format, or
 *   if a kept value has a lifetime: a clock that runs ahead for a while would delete it.
 */
export function numbered(
  key: Deno.KvKey,
  value: unknown,
  { expireIn }: Lifetime = {},
  formats = FORMATS,
): unknown {
  const { name, kind: { isKept, writes } } = kindOf(key, formats);
  if (isKept && expireIn !== undefined) {
    throw new TypeError(
      `${name} cannot be made again, so lib/operate/retention.ts removes it, not KV`,
    );
  }
  if (writes === 1) return value;
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw new TypeError(
      `a value of ${name} is not an object, so it cannot state its format ${writes}`,
    );
  }
  return { ...value as object, format: writes };
}

/** Creates a function that logs values of a newer format, once for each kind. */
export function createNewerReporter(log: Pick<Log, "error">): (error: NewerFormatError) => void {
  const reported = new Set<string>();
  return ({ kind, message }) => {
    if (!reported.has(kind)) log.error(message);
    reported.add(kind);
  };
}

function kindOf(key: Deno.KvKey, formats: Formats): { readonly name: string; readonly kind: Kind } {
  const [first, second, third] = key.map(String);
  const names = first === "blob"
    ? [`blob ${third === "pointer" ? second : third}`]
    : [`${first}`, `${first} ${second}`];
  for (const name of names) {
    const kind = formats[name];
    if (kind !== undefined) return { name, kind };
  }
  throw new TypeError(
    `${JSON.stringify(key)} has a kind that lib/platform/kv/formats.ts does not list: ` +
      "add it there and to lib/platform/kv/STORAGE.md",
  );
}

function formatOf(value: unknown): number {
  if (typeof value !== "object" || value === null || !("format" in value)) return 1;
  return typeof value.format === "number" ? value.format : Infinity;
}
