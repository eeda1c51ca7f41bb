/**
 * The log, spans and metrics.
 */

export { type Log, openLog } from "./log.ts";
export {
  countRefused,
  countReserved,
  countSettled,
  countSuspectCost,
  exportGauges,
  upstreamFetch,
} from "./metrics.ts";
export { observeRequest, type RequestNotes } from "./request.ts";
