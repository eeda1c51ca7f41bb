/**
 * Tells operators of trouble although they do not look: one message to `NOTICES_URL` when it begins, and one when it is
 * over. `static/docs/operate.md` lists the causes.
 */

import { readServiceSum } from "../proxy/ledger/service_sums.ts";
import { lossInWords, lostColumnInWords } from "../events/reading/loss.ts";
import { readFailure } from "../events/keeping/failure.ts";
import { readStoredSnapshot } from "../events/keeping/stored.ts";
import type { Config } from "../platform/config/config.ts";
import { getEntry, listEntries } from "../platform/kv/list.ts";
import { beginAtomic, commit } from "../platform/kv/write.ts";
import type { Log } from "../platform/log.ts";
import { isNearLimit, readableUsd } from "../platform/money.ts";
import type { Platform } from "../platform/platform.ts";
import { DAY_MILLISECONDS, durationInWords, HOUR_MILLISECONDS } from "../platform/time.ts";
import { withTimeout } from "../platform/timeout.ts";
import { readBackupTime } from "./backup/backup.ts";
import { CHECK_NAMES, type CheckName } from "./health/history.ts";
import type { HealthRecord } from "./health/report.ts";
import type { DeskSummary } from "./desk_summary.ts";

/** The trouble that a notice is about. One cause has one notice at a time. */
type Cause = string;

interface Notice {
  /** Epoch milliseconds of the last attempt. */
  readonly at: number;
  readonly sentence: string;
  readonly isSent: boolean;
}

/** Reads of the events may fail for so long before anybody is told: most failures pass. */
const FAILING_MILLISECONDS = 30 * 60_000;
/** Less credit at a provider, in USD, is told. */
export const LOW_CREDIT_USD = 5;
/** Backups are advised daily; a missed one is told. */
export const BACKUP_DAYS = 2;
/** A cause has at most one message in this time. */
const PAUSE_MILLISECONDS = HOUR_MILLISECONDS;
const SEND_MILLISECONDS = 10_000;

/** The part that each check of `/up` asks. */
const CHECKED: Readonly<Record<CheckName, string>> = {
  database: "The database",
  analytics: "The store of usage records",
  router: "The router of models",
  ocr: "The provider of text recognition",
  websearch: "The provider of web search",
};

const noticeKey = (cause: Cause): Deno.KvKey => ["notice", cause];

interface NoticeContext extends Pick<Platform, "kv" | "now"> {
  readonly config: Config;
}

/** Sentences by cause. None has a secret, a name or a query. */
type Causes = ReadonlyMap<Cause, string>;

async function findCausesOfEvents({ kv, now }: NoticeContext): Promise<Causes> {
  const at = now();
  const causes = new Map<Cause, string>();
  const [failure, snapshot] = await Promise.all([
    readFailure(kv),
    readStoredSnapshot(kv).catch(() => null),
  ]);
  if (failure?.fault === "loss" && failure.loss !== null) {
    causes.set("loss", `A read of the events was refused. ${lossInWords(failure.loss)}.`);
  } else if (failure !== null && at - failure.since >= FAILING_MILLISECONDS) {
    const time = durationInWords(at - failure.since);
    causes.set("events", `The events cannot be read since ${time}: see /desk/events.`);
  }
  for (const column of snapshot?.lost ?? []) {
    causes.set(`column ${column.field}`, lostColumnInWords(column));
  }
  return causes;
}

/** The providers and stores that are down. */
function findCausesOfChecks(current: HealthRecord): Causes {
  const causes = new Map<Cause, string>();
  for (const name of CHECK_NAMES.filter((each) => !current[each])) {
    causes.set(`check ${name}`, `${CHECKED[name]} is down, or refuses our key: see /status.`);
  }
  return causes;
}

/** Supplies that run out (credit, the limit of the service), missing backups, and suspect costs. */
export async function findCausesOfSupplies(
  { kv, config, now }: NoticeContext,
  current: HealthRecord,
  deskSummary: DeskSummary,
): Promise<Causes> {
  const at = now();
  const causes = new Map<Cause, string>();
  const backupAt = await readBackupTime(kv);
  const credits = [
    ["router", current.balanceRemaining],
    ["router key", current.keyLimitRemaining],
    ["media", current.mediaUnusedCredit],
  ] as const;
  for (const [whose, left] of credits) {
    if (left === undefined || left >= LOW_CREDIT_USD) continue;
    causes.set(`credit ${whose}`, `The credit of the ${whose} is low: ${left.toFixed(2)} USD.`);
  }
  const limit = config.SERVICE_DAILY_LIMIT_USD;
  if (limit !== undefined) {
    const used = await readServiceSum(kv, deskSummary.day);
    if (isNearLimit(used, limit)) {
      const amounts = `${readableUsd(used)} of ${readableUsd(limit)}`;
      causes.set("limit", `${amounts} of today's limit of all accounts are used.`);
    }
  }
  const suspects = deskSummary.suspectCosts.filter(({ day }) => day === deskSummary.day);
  if (suspects.length > 0) {
    const ids = suspects.slice(0, 3).map(({ accountId }) => accountId).join(", ");
    causes.set("suspect", `Costs of today are suspect, of ${ids}.`);
  }
  if (deskSummary.accounts > 0 && at - (backupAt ?? 0) > BACKUP_DAYS * DAY_MILLISECONDS) {
    causes.set(
      "backup",
      backupAt === null
        ? "No backup was made yet."
        : `The last backup was begun ${durationInWords(at - backupAt)} ago.`,
    );
  }
  return causes;
}

/** Makes the job that sends notices; null without an address. */
export function createNotices(
  options: NoticeContext & Pick<Platform, "fetch" | "startLimit"> & {
    readonly health: { get(): Promise<HealthRecord> };
    readonly deskSummary: { get(): Promise<DeskSummary> };
    readonly log: Pick<Log, "warn">;
  },
): (() => Promise<void>) | null {
  const { kv, config, now, fetch, startLimit, log } = options;
  const { NOTICES_URL: url } = config;
  if (url === undefined) return null;

  /** Sends a text as Slack, Mattermost and Discord's Slack-compatible address take it. Says whether it arrived. */
  async function send(sentence: string): Promise<boolean> {
    const text = `${config.SITE_NAME}: ${sentence} ${config.BASE_URL}/desk`;
    const abort = new AbortController();
    try {
      const response = await withTimeout(
        SEND_MILLISECONDS,
        fetch(url ?? "", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ text }),
          redirect: "manual",
          signal: abort.signal,
        }),
        () => {
          abort.abort();
          throw new Error("no response in time");
        },
        startLimit,
      );
      await response.body?.cancel();
      if (response.ok) return true;
      log.warn("A notice was not taken by NOTICES_URL.", { status: response.status });
    } catch (error) {
      // The platform's message has the address, which is a secret.
      const reason = error instanceof Error ? error.name : "unknown";
      log.warn("A notice could not be sent to NOTICES_URL.", { reason });
    }
    return false;
  }

  /** Stores a notice, or removes it, before it is sent: of several processes, one does. */
  async function claim(
    entry: { readonly key: Deno.KvKey; readonly versionstamp: string | null },
    notice: Notice | null,
  ): Promise<boolean> {
    const operation = beginAtomic(kv).check(entry);
    if (notice === null) operation.delete(entry.key);
    else operation.set(entry.key, notice);
    return (await commit(operation)).ok;
  }

  async function tell(cause: Cause, sentence: string): Promise<void> {
    const entry = await getEntry<Notice>(kv, noticeKey(cause));
    const last = entry.value;
    if (last !== null && (last.isSent || now() - last.at < PAUSE_MILLISECONDS)) return;
    const notice = { at: now(), sentence, isSent: true };
    if (!await claim(entry, notice) || await send(sentence)) return;
    const claimed = await getEntry<Notice>(kv, noticeKey(cause));
    if (claimed.value?.at === notice.at) await claim(claimed, { ...notice, isSent: false });
  }

  return async function sendNotices() {
    const current = await options.health.get();
    const causes = new Map([
      ...await findCausesOfEvents(options),
      ...findCausesOfChecks(current),
      ...await findCausesOfSupplies(options, current, await options.deskSummary.get()),
    ]);
    for (const [cause, sentence] of causes) await tell(cause, sentence);
    for await (const entry of listEntries<Notice>(kv, ["notice"])) {
      const cause = String(entry.key[1]);
      const { at, sentence, isSent } = entry.value;
      // A cause that comes and goes is told once an hour.
      if (causes.has(cause) || now() - at < PAUSE_MILLISECONDS) continue;
      if (await claim(entry, null) && isSent) await send(`Over: ${sentence}`);
    }
  };
}
