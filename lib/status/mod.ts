/** The report that `/status` and `deno task status` show. */

export { statusMarkdown } from "./markdown.ts";
export { type CheckStatus, readStatus, type StatusReport } from "./report.ts";
export {
  adviceInWords,
  CHECK_LABELS,
  checkInWords,
  dayInWords,
  daysTable,
  dayState,
  eventsInWords,
  headlines,
  historyInWords,
  jobInWords,
  jobsTable,
  runInWords,
} from "./words.ts";
