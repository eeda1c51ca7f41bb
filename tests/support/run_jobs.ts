/** Runs jobs as the cron does, whether or not they are due. */

import { createJobRunner, type Job, listJobs } from "../../lib/operate/jobs.ts";
import type { Services } from "../../lib/operate/services.ts";

/** Runs every job of some services, or the given ones. */
export async function runJobs(services: Services, jobs: readonly Job[] = listJobs(services)) {
  const wanted = jobs.map((job): Job => ({ ...job, isWanted: () => true }));
  const sleep = () => Promise.resolve();
  await createJobRunner(wanted, { ...services, sleep }).runDue();
}
