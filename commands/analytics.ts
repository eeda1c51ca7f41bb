/** `deno task analytics`: usage records in ClickHouse. */

import { z } from "zod";
import {
  type ClickHouse,
  ClickHouseError,
  clickHouseOptions,
  createOutbox,
  dayOf,
  daysUntil,
  fillClickHouse,
  migrate as migrateClickHouse,
  openClickHouse,
  readBacklog,
  USAGE_DAYS,
} from "../lib/proxy/mod.ts";
import { upstreamFetch } from "../lib/platform/metrics.ts";
import { runProcess } from "./process.ts";
import { withProgress } from "./progress.ts";
import { type Command, type Given, Mistake, type Tool, type Workplace } from "./tool.ts";
import { alignColumns, formatCount, formatMoment, toIso } from "./values.ts";

const migrate: Command = {
  summary: "Creates the table in ClickHouse, unless it exists. Nothing that exists is changed.",
  examples: [["migrate", "before the first request; another call changes nothing"]],
  async run(_given, { config }) {
    const isCreated = await migrateClickHouse(
      clickHouseOptions(config, upstreamFetch(fetch)) ?? refuse(),
    );
    return {
      json: { migration: isCreated ? "created" : "unchanged" },
      text: isCreated
        ? "Created the table foyer_usage."
        : "Nothing changed: the table foyer_usage exists already.",
    };
  },
};

const status: Command = {
  summary: "Shows whether ClickHouse responds, and how many records wait for delivery.",
  examples: [
    ["status", "for people"],
    ["status --json | jq -e .reachable", "for a monitor, by the exit code"],
  ],
  async run(_given, place) {
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
  },
};

const flush: Command = {
  summary: "Delivers the waiting records now.",
  examples: [["flush", "for example before a report"]],
  async run(_given, place) {
    const { notes, log } = collectErrors();
    const { kv, now } = place;
    const outbox = createOutbox({ kv, clickHouse: requireClickHouse(place), now, log });
    let records = 0;
    // Each call works for a limited time, so that it never outlives its lease.
    for (let more = 1; more > 0; records += more) more = await outbox.deliver();
    const { waiting } = await readBacklog(kv);
    if (waiting > 0) {
      notes.push(
        `${formatCount(waiting, "record waits", "records wait")} still: another process delivers.`,
      );
    }
    return { json: { records }, text: `Delivered ${formatCount(records, "record")}.`, notes };
  },
};

const fill: Command = {
  summary:
    "Sends the records of some days again, such as those of before ClickHouse was configured. It counts\n" +
    `each once. Records are kept for ${USAGE_DAYS} days.`,
  options: {
    "from DAY": `the first day in UTC, such as 2026-11-21 (default: ${USAGE_DAYS} days ago)`,
    "to DAY": "the last one (default: today)",
  },
  examples: [
    ["fill", "after `analytics migrate`"],
    ["fill --from 2026-11-01 --to 2026-11-03", "after the table lost these days"],
  ],
  async run(given, place) {
    const { notes, log } = collectErrors();
    const { kv, now, terminal } = place;
    const today = dayOf(now());
    const from = readDay(given, "from") ?? daysUntil(today, USAGE_DAYS).at(-1) ?? today;
    const to = readDay(given, "to") ?? today;
    if (from > to) throw new Mistake(`--from ${from} is after --to ${to}`);
    const clickHouse = requireClickHouse(place);
    const records = await withProgress(
      terminal,
      (count) => `${formatCount(count, "record")} sent`,
      (report) => fillClickHouse({ kv, clickHouse, log }, { from, to }, report),
    );
    return { json: { from, to, records }, text: `Sent ${formatCount(records, "record")}.`, notes };
  },
};

function readDay(given: Given, name: string): string | null {
  const text = given.option(name);
  if (text === null || z.iso.date().safeParse(text).success) return text;
  throw new Mistake(`“${text}” is not a day; expected one such as 2026-11-21`);
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

/** The tool. */
export const tool: Tool = {
  name: "analytics",
  summary:
    "Usage records in ClickHouse. Without ANALYTICS_URL there is nothing to do: `usage` and `requests`\n" +
    "answer from the books.",
  commands: { migrate, status, flush, fill },
};

if (import.meta.main) await runProcess(tool);
