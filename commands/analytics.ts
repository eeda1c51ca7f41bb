/** `deno task analytics`: the way of usage records to the analytics store. */

import {
  clickHouseOptions,
  createOutbox,
  migrate as migrateClickHouse,
  readBacklog,
  StoreError,
} from "../lib/analytics/mod.ts";
import { upstreamFetch } from "../lib/telemetry/mod.ts";
import { runProcess } from "./process.ts";
import { alignColumns } from "./table.ts";
import type { Command, Tool } from "./tool.ts";
import { withUsageStore } from "./usage_store.ts";
import { formatMoment, toIso } from "./values.ts";

const migrate: Command = {
  summary: "Makes the table in ClickHouse, unless it is there. Nothing that exists is changed.",
  parameters: [],
  options: {},
  examples: [["migrate", "once, before the first request; again it does nothing"]],
  async run(_given, { config }) {
    const options = clickHouseOptions(config, upstreamFetch(fetch));
    if (options === null) {
      return {
        json: { store: "embedded", migration: "unchanged" },
        text: "ANALYTICS_URL is not set: the embedded store needs no table.",
      };
    }
    const migration = await migrateClickHouse(options);
    return {
      json: { store: "clickhouse", migration },
      text: migration === "created"
        ? "Created the table foyer_usage."
        : "The table foyer_usage is there; nothing was changed.",
    };
  },
};

const status: Command = {
  summary: "Says whether the store answers, and what waits for it.",
  parameters: [],
  options: {},
  examples: [
    ["status", "for people"],
    ["status --json | jq -e .reachable", "for a monitor: the exit code tells"],
  ],
  async run(_given, place) {
    const error = await withUsageStore(place, (store) => store.ping()).then(
      () => null,
      (thrown: unknown) => {
        if (thrown instanceof StoreError) return thrown.message;
        throw thrown;
      },
    );
    const { waiting, oldestAt, aside, pause } = await readBacklog(place.kv);
    const store = place.config.ANALYTICS_URL === undefined ? "embedded" : "clickhouse";
    return {
      json: {
        store,
        reachable: error === null,
        error,
        waitingPages: waiting,
        oldestAt: toIso(oldestAt),
        asidePages: aside,
        failures: pause?.failures ?? 0,
        pausedUntil: toIso(pause?.until ?? null),
      },
      text: alignColumns([
        ["Store", store],
        ["Answers", error === null ? "yes" : `no: ${error}`],
        ["Pages waiting", String(waiting)],
        ["Oldest of them", oldestAt === null ? "-" : formatMoment(oldestAt)],
        ["Pages set aside", String(aside)],
        ["Failures", pause === null ? "0" : `${pause.failures} in a row`],
        ["Next attempt", pause === null ? "-" : `after ${formatMoment(pause.until)}`],
      ]).join("\n"),
      notes: aside === 0 ? [] : [
        "pages set aside could not be read, and the log says why; " +
        "`deno task analytics flush --aside` tries them again.",
      ],
    };
  },
};

const flush: Command = {
  summary: "Delivers what waits now, even while the store is being left alone.",
  parameters: [],
  options: {
    aside: { value: null, summary: "also what was set aside since it could not be read" },
  },
  examples: [["flush", "such as before a report"]],
  async run(given, place) {
    const notes: string[] = [];
    const write = (text: string, { reason }: { readonly reason?: unknown } = {}) =>
      void notes.push(reason === undefined ? text : `${text} (${reason})`);
    const { kv, now } = place;
    const records = await withUsageStore(place, async (store) => {
      const outbox = createOutbox({ kv, store, now, log: { error: write } });
      let sum = await outbox.flush({ aside: given.has("aside") });
      // Each time it works for a while only, so that it never holds its lease too long.
      for (let more = 1; more > 0 && await outbox.depth() > 0; sum += more) {
        more = await outbox.flush();
      }
      return sum;
    });
    return {
      json: { records },
      text: records === 1 ? "Delivered 1 record." : `Delivered ${records} records.`,
      notes,
    };
  },
};

/** The tool. */
export const tool: Tool = {
  name: "analytics",
  summary: "The analytics store: where usage records go to be counted.",
  commands: { migrate, status, flush },
};

if (import.meta.main) await runProcess(tool);
