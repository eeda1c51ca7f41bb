/**
 * Makes pictures from other people's files with Skia, each in a process of its own (`picture_program.ts`) with limits
 * of time and memory: it gives the picture or nothing. Skia cannot be interrupted, and a terminated `Worker` finishes
 * its work; a process can be killed.
 */

import { createCache } from "../../platform/cache.ts";
import { readBounded } from "../../platform/http/body.ts";
import { PublicError } from "../../platform/http/errors.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import type { Job, JobArgument } from "./internal/job.ts";
import { FONTS } from "./painter.ts";

/**
 * Makes the picture of a job, one at a time. The result is empty if a file cannot be read, is too large or is animated.
 * The result is null if the process crashed or exceeded a limit, now or during the last day.
 *
 * @param version identifies the job's files: after a failure, the same version is not tried again for a day.
 * @throws {PublicError} `service_unavailable` if too many are waiting, or no process can be started.
 */
export type MakePicture = (version: string, job: Job) => Promise<Uint8Array<ArrayBuffer> | null>;

/** The options of {@linkcode createPictures}. */
export interface PicturesOptions extends Pick<Platform, "now"> {
  readonly log: Pick<Log, "warn">;
  /** The process's program, and how long a picture may take; tests set their own. */
  readonly program?: URL;
  readonly maxMilliseconds?: number;
}

const PROGRAM = new URL("./internal/picture_program.ts", import.meta.url);
/** The largest pictures take three seconds of a processor; on a busy machine they take longer. */
const MAX_MILLISECONDS = 20_000;
/** If more pictures waited, the last would be too late for its visitor. */
const MAX_WAITING = 24;
/** A larger output is no picture of ours. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Room for two thousand versions. */
const MAX_FAILURE_BYTES = 4 * 1024 * 1024;
/** The variables that locate Deno's cache; secrets are not passed on. */
const ENVIRONMENT = ["DENO_DIR", "HOME", "PATH", "SYSTEMROOT", "XDG_CACHE_HOME"];

/** Creates the maker of pictures. */
export function createPictures(options: PicturesOptions): MakePicture {
  const { now, log, program = PROGRAM, maxMilliseconds = MAX_MILLISECONDS } = options;
  const inTurn = createSemaphore(1);
  let waiting = 0;
  /** The versions whose process failed. */
  const failures = createCache<{ readonly until: number }>(
    MAX_FAILURE_BYTES,
    () => 0,
    ({ until }) => now() < until,
  );
  const hasFailed = (version: string) => failures.known(version, "") !== undefined;

  async function run(version: string, { facts, files }: Job) {
    if (hasFailed(version)) return null;
    const argument: JobArgument = {
      facts,
      lengths: (Object.keys(files) as (keyof typeof files)[])
        .map((name) => [name, files[name]?.length ?? 0]),
    };
    const child = startProcess(program, JSON.stringify(argument), log);
    const { output, reason } = await outputOf(child, Object.values(files), maxMilliseconds);
    if (reason === null) return output;
    failures.get(version, "", () => ({ until: now() + DAY_MILLISECONDS }));
    log.warn("events: a picture failed and is not tried again for a day", { version, reason });
    return null;
  }

  return async function makePicture(version, job) {
    if (hasFailed(version)) return null;
    // One of them is being made.
    if (waiting > MAX_WAITING) throw busy();
    waiting++;
    try {
      return await inTurn(() => run(version, job));
    } finally {
      waiting--;
    }
  };
}

/** The error while too many pictures are waiting. */
export function busy(cause?: unknown): PublicError {
  return new PublicError("service_unavailable", "Too many pictures are waiting.", {
    hint: "The event's page shows the same facts.",
    headers: { "retry-after": "10" },
    cause,
  });
}

/** @throws {PublicError} if it cannot be started. */
function startProcess(program: URL, argument: string, log: Pick<Log, "warn">): Deno.ChildProcess {
  const readable = [FONTS, new URL(".", import.meta.resolve("canvaskit-wasm/full"))];
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--cached-only", "--no-prompt"],
      `--allow-read=${readable.map(({ pathname }) => decodeURIComponent(pathname)).join(",")}`,
      ...[program.href, argument],
    ],
    clearEnv: true,
    env: Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => ENVIRONMENT.includes(name)),
    ),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  });
  try {
    return command.spawn();
  } catch (cause) {
    log.warn("events: the process that makes pictures cannot be started", { cause });
    throw busy(cause);
  }
}

/** Sends the files to a process, and waits for its output and its end; `reason` says why there is no output. */
async function outputOf(
  child: Deno.ChildProcess,
  files: readonly Uint8Array<ArrayBuffer>[],
  maxMilliseconds: number,
): Promise<{ output: Uint8Array<ArrayBuffer>; reason: string | null }> {
  let reason: string | null = null;
  const kill = (why: string) => {
    reason ??= why;
    try {
      child.kill("SIGKILL");
    } catch {
      // It has already exited.
    }
  };
  const timer = setTimeout(
    () => kill(`it takes longer than ${maxMilliseconds} ms`),
    maxMilliseconds,
  );
  const limit = `it gives more than ${MAX_OUTPUT_BYTES} bytes`;
  const [output, { success }] = await Promise.all([
    readBounded(child.stdout, MAX_OUTPUT_BYTES, () => new Error(limit))
      .catch((error) => {
        kill(String(error));
        return new Uint8Array();
      }),
    child.status,
    // The pipe breaks if the process ends before it has read everything.
    ReadableStream.from(files).pipeTo(child.stdin).catch(() => {}),
  ]);
  clearTimeout(timer);
  return {
    output,
    reason: reason ?? (success ? null : "it crashes the process, or needs too much memory"),
  };
}
