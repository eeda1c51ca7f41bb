/** The service as a whole: its parts and what is outside, its jobs, its start and its end. */

export {
  areJobsOn,
  createJobRunner,
  CRON,
  isJobLate,
  listJobRuns,
  listJobs,
  TURN_MILLISECONDS,
} from "./jobs.ts";
export { openPlatform } from "./platform.ts";
export { createServices, type Services } from "./services.ts";
export { logStart } from "./start.ts";
export type { RenderPage, State } from "./state.ts";
export { leavePlatform, stopService } from "./stop.ts";
