/** The end of the service: requests are answered and booked before the database is closed. */

import type { Platform } from "../platform/platform.ts";
import type { Services } from "./services.ts";

/** Drain time after SIGTERM: requests are still served, and each response closes its connection. */
const LEAVING_MILLISECONDS = 1_000;
/** The longest wait for responses in progress, drain time included. */
const ANSWERS_MILLISECONDS = 30_000;

/** How long responses may take to finish, of Deno Deploy's five seconds after SIGINT; the rest is for their booking. */
const EVICTED_MILLISECONDS = 3_500;
/** The last bytes of finished responses leave in this time. The server is the platform's, and does not tell when. */
const SENDING_MILLISECONDS = 200;
/** Less than Deno Deploy waits before it kills the process. */
const EVICTION_LIMIT_MILLISECONDS = 4_800;

/**
 * Ends an isolate of Deno Deploy, which no longer receives requests. Responses in progress finish if they can, and
 * are booked; the sweep charges the others.
 */
export async function leavePlatform(
  { proxy, ledger, refusals }: Pick<Services, "proxy" | "ledger" | "refusals">,
  { sleep, log }: Pick<Platform, "sleep" | "log">,
): Promise<void> {
  log.info("The platform ends this isolate: what requests in progress cost is booked.");
  const booked = proxy.idle(EVICTED_MILLISECONDS).then(() => ledger.flush()).then(refusals.flush);
  const sent = booked.then(() => sleep(SENDING_MILLISECONDS));
  await Promise.race([sent, sleep(EVICTION_LIMIT_MILLISECONDS)]);
}

/**
 * Ends the service without losing a request. `/up` reports down, so that load balancers switch to other processes;
 * then no more connections are accepted, responses finish, costs are booked and the database is closed.
 */
export async function stopService(
  server: Pick<Deno.HttpServer, "shutdown">,
  { health, proxy, ledger, refusals }: Pick<
    Services,
    "health" | "proxy" | "ledger" | "refusals"
  >,
  { kv, sleep, log }: Pick<Platform, "kv" | "sleep" | "log">,
): Promise<void> {
  log.info(
    `The service stops: requests in progress have ${
      ANSWERS_MILLISECONDS / 1_000
    } seconds to finish.`,
  );
  health.leave();
  await sleep(LEAVING_MILLISECONDS);
  const left = ANSWERS_MILLISECONDS - LEAVING_MILLISECONDS;
  const closed = Promise.race([server.shutdown(), sleep(left)]);
  await Promise.all([closed, proxy.idle(left)]);
  await ledger.flush();
  await refusals.flush();
  kv.close();
  log.info("The service has stopped.");
}
