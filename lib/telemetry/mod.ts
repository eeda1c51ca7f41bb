/**
 * The log, the metrics, and the `fetch` that they observe.
 */

export { activeSpan, type Log, openLog, type RequestNotes } from "./log.ts";
export {
  countLostRefusals,
  countRefused,
  countReserved,
  countSettled,
  countSuspectCost,
  exportGauges,
  upstreamFetch,
} from "./metrics.ts";
