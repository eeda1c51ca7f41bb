/** `foyer analytics`: usage records in ClickHouse. */

import type { Command } from "commander";
import {
  type ClickHouse,
  ClickHouseError,
  createOutbox,
  dayOf,
  daysUntil,
  fillClickHouse,
  openClickHouse,
  readBacklog,
  USAGE_DAYS,
} from "../lib/proxy/mod.ts";
import { upstreamFetch } from "../lib/platform/metrics.ts";
import {
  type Act,
  group,
  Mistake,
  type Place,
  type Result,
  subcommand,
  type Workplace,
} from "./frame.ts";
import { alignColumns, formatCount, formatMoment, readDay, toIso } from "./values.ts";

/** Adds the subcommands. */
export function addAnalytics(foyer: Command, act: Act): void {
  const analytics = group(
    foyer,
    "analytics",
    "Usage records in ClickHouse, if ANALYTICS_URL is set; otherwise the books answer",
  );
  subcommand(analytics, "migrate", "Create the table in ClickHouse, unless it exists", [
    ["migrate", "before the first request; another call changes nothing"],
  ]).action(act(migrate));
  subcommand(analytics, "status", "Show whether ClickHouse responds, and what waits for it", [
    ["status", "for people"],
    ["status --json | jq -e .reachable", "for a monitor, by the exit code"],
  ]).action(act(status));
  subcommand(analytics, "flush", "Deliver the waiting records now", [
    ["flush", "for example before a report"],
  ]).action(act(flush));
  subcommand(
    analytics,
    "fill",
    "Send the records of some days again; ClickHouse counts each once",
    [
      ["fill", "after `analytics migrate`"],
      ["fill --from 2026-11-01 --to 2026-11-03", "after the table lost these days"],
    ],
  )
    .option("--from <day>", `the first day in UTC (default: ${USAGE_DAYS} days ago)`, readDay)
    .option("--to <day>", "the last one (default: today)", readDay)
    .action(act(fill));
}

async function migrate(place: Place): Promise<Result> {
  const isCreated = await requireClickHouse(place).migrate();
  return {
    json: { migration: isCreated ? "created" : "unchanged" },
    text: isCreated
      ? "Created the table foyer_usage."
      : "Nothing changed: the table foyer_usage exists already.",
  };
}

async function status(place: Place): Promise<Result> {
  const error = await requireClickHouse(place).ping().then(
    () => null,
    (thrown: unknown) => {
      if (thrown instanceof ClickHouseError) return thrown.message;
      throw thrown;
    },
  );
  const { waiting, oldestAt } = await readBacklog(place.kv);
  return {
    json: { reachable: error === null, error, waiting, oldestAt: toIso(oldestAt) },
    text: alignColumns([
      ["Responds", error === null ? "yes" : `no: ${error}`],
      ["Records waiting", String(waiting)],
      ["Oldest request", formatMoment(oldestAt)],
    ]).join("\n"),
  };
}

async function flush(place: Place): Promise<Result> {
  const { notes, log } = collectErrors();
  const { kv, now } = place;
  const outbox = createOutbox({ kv, clickHouse: requireClickHouse(place), now, log });
  let records = 0;
  // Each call works for a limited time, so that it never outlives its lease.
  for (let more = 1; more > 0; records += more) more = await outbox.deliver();
  const { waiting } = await readBacklog(kv);
  if (waiting > 0) {
    const left = formatCount(waiting, "record waits", "records wait");
    notes.push(`${left} still: another process delivers.`);
  }
  return { json: { records }, text: `Delivered ${formatCount(records, "record")}.`, notes };
}

async function fill(
  place: Place,
  options: { from?: string; to?: string },
): Promise<Result> {
  const { kv, now } = place;
  const today = dayOf(now());
  const { from = daysUntil(today, USAGE_DAYS).at(-1) ?? today, to = today } = options;
  if (from > to) throw new Mistake(`--from ${from} is after --to ${to}`);
  const clickHouse = requireClickHouse(place);
  const records = await fillClickHouse({ kv, clickHouse }, { from, to });
  return { json: { from, to, records }, text: `Sent ${formatCount(records, "record")}.` };
}

/** A log whose lines become notes. */
function collectErrors() {
  const notes: string[] = [];
  const error = (text: string, { key }: { readonly key?: unknown } = {}) =>
    void notes.push(`${text} (${JSON.stringify(key)})`);
  return { notes, log: { error } };
}

/** The access to ClickHouse. @throws {Mistake} if it is not configured. */
export function requireClickHouse({ config }: Workplace): ClickHouse {
  return openClickHouse(config, upstreamFetch(fetch)) ?? refuse();
}

function refuse(): never {
  throw new Mistake("ANALYTICS_URL is not set; set it to the HTTP address of ClickHouse", 1);
}
