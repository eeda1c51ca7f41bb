/** The front of the operation of the service: its parts, their state, its documents and its reference. */

export { auditBooks, auditInWords, differencesInWords, spendingInWords } from "./audit.ts";
export { backUp, type Contents, readBackupTime, setBackupTime } from "./backup/backup.ts";
export { BackupFileError } from "./backup/file.ts";
export { NotEmptyError, restore } from "./backup/restore.ts";
export {
  examine,
  examineParts,
  type Finding,
  type Installation,
  PROVIDERS,
  tryProvider,
} from "./doctor.ts";
export {
  type Document,
  groupDocuments,
  isForOperators,
  nameEvent,
  readDocuments,
} from "./documents/library.ts";
export {
  documentsMarkdown,
  errorMarkdown,
  errorSections,
  llmsFull,
  llmsIndex,
} from "./documents/listings.ts";
export { type Heading, renderDocument } from "./documents/render.ts";
export { type FoundSection, MAX_SEARCH_LENGTH, searchDocuments } from "./documents/search.ts";
export type { HealthRecord } from "./health/report.ts";
export { createJobRunner, CRON, listJobs } from "./jobs.ts";
export { acceptColumns, acceptRefusedLoss, EVENTS } from "./loss.ts";
export { answerMcp, type Page, type Tool } from "./mcp.ts";
export { FEW_ACCOUNTS, LISTED_ACCOUNTS, type Overview, readSpending } from "./overview.ts";
export { openPlatform } from "./platform.ts";
export { describeChange } from "./record.ts";
export { headerRefs } from "./reference/headers.ts";
export {
  json,
  type Operation,
  pathParameter,
  queryParameters,
  recordedAnswer,
} from "./reference/operation.ts";
export { EVENT_PARAMETER, FILTERS, orderBy, STATUS } from "./reference/parameters.ts";
export {
  ADDRESSES,
  apiCatalog,
  CATALOG_TYPE,
  type Operations,
  referenceOf,
} from "./reference/reference.ts";
export { modelListSchema, modelSchema, websearchSchema } from "./reference/schemas.ts";
export { feedHandler, feedRoute } from "./routes/feed_route.ts";
export { methods } from "./routes/methods.ts";
export { forwardingRoute } from "./routes/proxy_route.ts";
export { createServices, type Services } from "./services.ts";
export { logStart } from "./start.ts";
export type { RenderPage, State } from "./state.ts";
export { statusMarkdown } from "./status/markdown.ts";
export { type CheckStatus, readStatus } from "./status/report.ts";
export {
  dayInWords,
  dayState,
  describeStatus,
  labelOf,
  type StatusDescription,
} from "./status/words.ts";
export { leavePlatform, stopService } from "./stop.ts";
export { BACKUP_DAYS, findCauses, LOW_CREDIT_USD } from "./notices.ts";
