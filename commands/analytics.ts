/** `foyer analytics`: usage records in ClickHouse. */

import type { Command } from "commander";
import { dayBefore, dayOf } from "../lib/platform/utc_days.ts";
import { USAGE_DAYS } from "../lib/proxy/ledger/transitions.ts";
import { type ClickHouse, openClickHouse } from "../lib/proxy/records/clickhouse.ts";
import { fillClickHouse } from "../lib/proxy/records/outbox.ts";
import { holdingFetch } from "../lib/platform/http/body.ts";
import { observedFetch } from "../lib/platform/metrics.ts";
import { counted } from "../lib/platform/text.ts";
import { type Act, Mistake, type Place, type Result, subcommand, type Workplace } from "./frame.ts";
import { readDay } from "./values.ts";

/** Adds the subcommands. */
export function addAnalytics(foyer: Command, act: Act): void {
  const analytics = foyer.command("analytics")
    .description(
      "Usage records in ClickHouse, if ANALYTICS_URL is set; otherwise the books answer",
    );
  subcommand(analytics, "migrate", "Create the table in ClickHouse, unless it exists", [
    "migrate  # before the first request; another call changes nothing",
  ]).action(act(migrate));
  subcommand(
    analytics,
    "fill",
    "Send the records of some days again; ClickHouse counts each once",
    [
      "fill  # after `analytics migrate`",
      "fill --from 2026-11-01 --to 2026-11-03  # after the table lost these days",
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

async function fill(
  place: Place,
  options: { from?: string; to?: string },
): Promise<Result> {
  const { kv, now } = place;
  const today = dayOf(now());
  const { from: asked = "", to: last = today } = options;
  if (asked > last) throw new Mistake(`--from ${asked} is after --to ${last}`);
  // There are records of these days alone.
  const first = dayBefore(today, USAGE_DAYS - 1);
  const [from, to] = [asked < first ? first : asked, last > today ? today : last];
  const clickHouse = requireClickHouse(place);
  const records = await fillClickHouse({ kv, clickHouse }, { from, to });
  return { json: { from, to, records }, text: `Sent ${counted(records, "record")}.` };
}

/** The access to ClickHouse. @throws {Mistake} if it is not configured. */
export function requireClickHouse({ config }: Workplace): ClickHouse {
  return openClickHouse(config, holdingFetch(observedFetch(fetch))) ?? refuse();
}

function refuse(): never {
  throw new Mistake("ANALYTICS_URL is not set; set it to the HTTP address of ClickHouse", 1);
}
