/**
 * What `/status` and `deno task status` tell.
 */

export { configured, knownDays, statusMarkdown } from "./markdown.ts";
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
