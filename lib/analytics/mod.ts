/**
 * Usage records on their way from the ledger to ClickHouse or the embedded store.
 */

export { type Backlog, readBacklog } from "./backlog.ts";
export { clickHouseOptions, createUsageStore, openAnalyticsKv } from "./create_store.ts";
export { removeOldNotes } from "./embedded.ts";
export { asideKey } from "./markers.ts";
export { migrate } from "./migrate.ts";
export { createOutbox, type Outbox } from "./outbox.ts";
export { getPause, isPaused } from "./pause.ts";
export { firstKeptDay } from "./retention.ts";
export {
  type Answer,
  type Figures,
  type Group,
  type Grouping,
  GROUPINGS,
  StoreError,
  type UsageStore,
} from "./store.ts";
