/** The report that `/status` and `deno task status` show. */

export { statusMarkdown } from "./markdown.ts";
export { type CheckStatus, isConfigured, readStatus, type StatusReport } from "./report.ts";
export {
  adviceInWords,
  callsInWords,
  CHECK_LABELS,
  checkInWords,
  dayInWords,
  daysTable,
  dayState,
  eventsInWords,
  historyInWords,
  jobInWords,
  jobsTable,
  madeInWords,
  partGroups,
  runInWords,
  stateColor,
  verdictOf,
} from "./words.ts";
