/**
 * Questions about usage over time. The outbox delivers the ledger's usage records to an analytics store, which is
 * ClickHouse or the embedded store on Deno KV; the store answers the questions. It also keeps refusals for two weeks.
 */

export { clickHouseOptions, createUsageStore, openAnalyticsKv } from "./create_store.ts";
export { removeOldNotes } from "./embedded.ts";
export { migrate } from "./migrate.ts";
export { createOutbox, getPause, isPaused, readBacklog, setAsideKey } from "./outbox.ts";
export {
  type Refusal,
  REFUSAL_DAYS,
  refusalInWords,
  type RefusedRequest,
  statusOfCode,
} from "./refusal.ts";
export { createRefusalRecorder, type RefusalRecorder } from "./refusal_recorder.ts";
export { firstKeptDay } from "./retention.ts";
export {
  type Answer,
  type Group,
  GROUPINGS,
  MissingTableError,
  type Question,
  type RefusalCount,
  StoreError,
  type Totals,
  type UsageStore,
} from "./store.ts";
