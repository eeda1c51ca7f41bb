/** `deno task analytics`: delivery of usage records to the analytics store. */

import {
  clickHouseOptions,
  createOutbox,
  createUsageStore,
  migrate as migrateClickHouse,
  openAnalyticsKv,
  readBacklog,
  StoreError,
  type UsageStore,
} from "../lib/proxy/mod.ts";
import { upstreamFetch } from "../lib/platform/metrics.ts";
import { runProcess } from "./process.ts";
import type { Command, Tool, Workplace } from "./tool.ts";
import { alignColumns, formatCount, formatMoment, toIso } from "./values.ts";

const migrate: Command = {
  summary: "Creates the tables in ClickHouse that do not exist. Nothing that exists is changed.",
  examples: [[
    "migrate",
    "before the first request, and after an update; another call changes nothing",
  ]],
  async run(_given, { config }) {
    const options = clickHouseOptions(config, upstreamFetch(fetch));
    if (options === null) {
      return {
        json: { store: "embedded", migration: "unchanged", created: [] },
        text: "Nothing to do: ANALYTICS_URL is not set, and the embedded store needs no table.",
      };
    }
    const created = await migrateClickHouse(options);
    const migration = created.length === 0 ? "unchanged" : "created";
    return {
      json: { store: "clickhouse", migration, created },
      text: created.length === 0
        ? "Nothing changed: the tables foyer_usage and foyer_refusals exist already."
        : `Created ${created.length === 1 ? "the table" : "the tables"} ${created.join(" and ")}.`,
    };
  },
};

const status: Command = {
  summary: "Shows whether the store responds, and how many batches wait for delivery.",
  examples: [
    ["status", "for people"],
    ["status --json | jq -e .reachable", "for a monitor, by the exit code"],
  ],
  async run(_given, place) {
    const error = await withUsageStore(place, (store) => store.ping()).then(
      () => null,
      (thrown: unknown) => {
        if (thrown instanceof StoreError) return thrown.message;
        throw thrown;
      },
    );
    const { waiting, oldestAt, setAside, pause } = await readBacklog(place.kv);
    const store = place.config.ANALYTICS_URL === undefined ? "embedded" : "clickhouse";
    return {
      json: {
        store,
        reachable: error === null,
        error,
        waitingPages: waiting,
        oldestAt: toIso(oldestAt),
        asidePages: setAside,
        failures: pause?.failures ?? 0,
        pausedUntil: toIso(pause?.until ?? null),
      },
      text: alignColumns([
        ["Store", store],
        ["Responds", error === null ? "yes" : `no: ${error}`],
        ["Batches waiting", String(waiting)],
        ["Oldest booking", formatMoment(oldestAt)],
        ["Batches set aside", String(setAside)],
        ["Failures", pause === null ? "0" : `${pause.failures} in a row`],
        ["Next attempt", pause === null ? "-" : `after ${formatMoment(pause.until)}`],
      ]).join("\n"),
      notes: setAside === 0 ? [] : [
        "batches that could not be read are set aside, and the log says why; " +
        "`deno task analytics flush --aside` tries them again.",
      ],
    };
  },
};

const flush: Command = {
  summary: "Delivers the waiting records now, even during the pause after a failure.",
  options: {
    aside: "also try again the batches that were set aside because they could not be read",
  },
  examples: [["flush", "for example before a report"]],
  async run(given, place) {
    const notes: string[] = [];
    const write = (text: string, { reason }: { readonly reason?: unknown } = {}) =>
      void notes.push(reason === undefined ? text : `${text} (${reason})`);
    const { kv, now } = place;
    const records = await withUsageStore(place, async (store) => {
      const outbox = createOutbox({ kv, store, now, log: { error: write } });
      let sum = await outbox.flush({ includeSetAside: given.has("aside") });
      // Each call works for a limited time, so that it never outlives its lease.
      for (let more = 1; more > 0 && await outbox.depth() > 0; sum += more) {
        more = await outbox.flush();
      }
      return sum;
    });
    return {
      json: { records },
      text: records === 0
        ? "Nothing was delivered: no readable records were waiting."
        : `Delivered ${formatCount(records, "record")}.`,
      notes,
    };
  },
};

/** Works with the configured analytics store, and closes what was opened for it. */
export async function withUsageStore<T>(
  { config, kv, now }: Workplace,
  work: (store: UsageStore) => Promise<T>,
): Promise<T> {
  const analyticsKv = await openAnalyticsKv(config, kv);
  try {
    return await work(createUsageStore(config, { analyticsKv, fetch: upstreamFetch(fetch), now }));
  } finally {
    if (analyticsKv !== kv) analyticsKv.close();
  }
}

/** The store's answer about refusals, or none and a note: its table may be missing until the next migration. */
export async function orNote<T>(asked: Promise<readonly T[]>, lack: string) {
  try {
    return { refused: await asked, notes: [] };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { refused: [], notes: [`refused requests are ${lack}: ${error.message}`] };
  }
}

/** The tool. */
export const tool: Tool = {
  name: "analytics",
  summary: "The analytics store, which counts usage records.",
  commands: { migrate, status, flush },
};

if (import.meta.main) await runProcess(tool);
