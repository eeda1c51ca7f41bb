/** The platform in production: the database, the clock, the network, the log. */

import { setTimeout } from "node:timers/promises";
import type { Config } from "../platform/config/config.ts";
import { systemResolver } from "../events/pictures/fetch_file.ts";
import { createPictures } from "../events/pictures/picture_process.ts";
import { openKv } from "../platform/kv/open.ts";
import type { ServicePlatform } from "./services.ts";
import { type Log, openLog } from "../platform/log.ts";
import { createLimits } from "../platform/timeout.ts";

/**
 * Opens the database, and collects the rest.
 *
 * @param now the clock, in epoch milliseconds.
 * @throws {Error} naming KV_PATH if it cannot be opened.
 */
export async function openPlatform(config: Config, now = Date.now): Promise<ServicePlatform> {
  const log = openLog();
  const kv = await openKv(config.KV_PATH).catch((error) => openTemporaryKv(config, error, log));
  return {
    kv,
    fetch,
    resolveName: systemResolver,
    pictures: "Command" in Deno ? createPictures({ now, log }) : null,
    now,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, signal && { signal }),
    startLimit: createLimits(),
    log,
  };
}

/** The variable by which Deno refuses to open any database while the app has none. */
const REQUIREMENT = "DENO_KV_REQUIRES_DISTRIBUTED_DATABASE";

/**
 * A database in memory for an app of Deno Deploy that has none. The events and the site need nothing better; the proxy
 * stays off, because no account is in it.
 *
 * @throws the error of the real database, if the app has one.
 */
async function openTemporaryKv(
  { hosting, KV_PATH }: Config,
  error: unknown,
  log: Log,
): Promise<Deno.Kv> {
  const isRefused = hosting.isDenoDeploy && KV_PATH === undefined &&
    Deno.env.get(REQUIREMENT) === "error";
  if (!isRefused) throw error;
  log.error("This app has no database. Everything that it stores is lost when its isolate ends.", {
    cause: error,
  });
  Deno.env.delete(REQUIREMENT);
  return await openKv(":memory:");
}
