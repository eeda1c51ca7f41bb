/** Delivery of usage records from the ledger to ClickHouse or the embedded store, and queries over them. */

export { clickHouseOptions, createUsageStore, openAnalyticsKv } from "./create_store.ts";
export { removeOldNotes } from "./embedded.ts";
export { migrate } from "./migrate.ts";
export {
  type Backlog,
  createOutbox,
  getPause,
  isPaused,
  type Outbox,
  readBacklog,
  setAsideKey,
} from "./outbox.ts";
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
