/** The report that `/status` and `deno task status` show. */

export { configured, JOB_COLUMNS, knownDays, statusMarkdown } from "./markdown.ts";
export { type CheckStatus, readStatus, type StatusReport } from "./report.ts";
export {
  adviceInWords,
  CHECK_LABELS,
  checkInWords,
  dayInWords,
  dayState,
  eventsInWords,
  headlines,
  historyInWords,
  jobInWords,
  runInWords,
} from "./words.ts";
