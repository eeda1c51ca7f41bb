/**
 * Reads, resizes and paints other people's pictures with Skia, in a process (`picture_program.ts`) with limits of
 * time and memory. Skia cannot be interrupted, and a terminated `Worker` finishes its work; a process can be killed.
 * The database remembers a picture that exceeded a limit or crashed the process by its attachment, so that no isolate
 * tries it again for a day.
 */

import { LRUCache } from "lru-cache";
import { getEntry } from "../../platform/kv/list.ts";
import { setEntry } from "../../platform/kv/write.ts";
import type { Log } from "../../platform/log.ts";
import { DAY_MILLISECONDS } from "../../platform/time.ts";
import { withTimeout } from "../../platform/timeout.ts";
import type { StoredImage } from "./image_kind.ts";
import { createCache } from "./cache.ts";
import {
  type Drawing,
  encodeMessage,
  FILE_NAMES,
  type FileName,
  type Job,
  readMessages,
  type Report,
  type Sizing,
} from "./messages.ts";
import { FONTS } from "./painter.ts";
import { createSemaphore } from "../../platform/semaphore.ts";

/** The contents of a picture. */
export interface Contents {
  /** Identifies the contents. */
  readonly version: string;
  readonly drawing: Drawing;
  readonly files: { readonly [name in FileName]?: StoredImage | null };
}

/** A picture as a PNG file; `lacksImage` says whether it lacks a file, such as one that exceeded a limit. */
export interface Painted {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lacksImage: boolean;
}

/** Makes pictures, one at a time. */
export interface Pictures {
  /**
   * The image as a WebP file; null if it cannot be read, is too large or is animated.
   *
   * @throws {UnpaintableError} if it exceeded a limit, now or during the last day.
   * @throws {NotStartedError} if the process cannot be started.
   */
  resize(image: StoredImage, sizing: Sizing): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * A painted picture, without files that exceeded a limit.
   *
   * @throws {UnpaintableError} if it exceeds one without its files too.
   * @throws {NotStartedError} if the process cannot be started.
   */
  paint(contents: Contents): Promise<Painted>;
}

/** The options of {@linkcode createPictures}. */
export interface PicturesOptions {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
  /** The process's program, and how long a picture may take; tests set their own. */
  readonly program?: URL;
  readonly maxMilliseconds?: number;
}

/** A picture exceeded the limits of time or memory, or crashed the process. */
export class UnpaintableError extends Error {
  override readonly name = "UnpaintableError";
  constructor(readonly version: string, reason: string) {
    super(reason);
  }
}

/** The process cannot be started now. */
export class NotStartedError extends Error {
  override readonly name = "NotStartedError";
}

/** The record of such a picture. */
interface Unpaintable {
  /** Epoch milliseconds before which it is not tried again. */
  readonly until: number;
  readonly reason: string;
}

/** A process that is ready for jobs. */
type Reader = Awaited<ReturnType<typeof startReader>>;

const PROGRAM = new URL("./picture_program.ts", import.meta.url);
/** The largest pictures take three seconds of a processor; on a busy machine they take longer. */
const MAX_MILLISECONDS = 20_000;
const MAX_START_MILLISECONDS = 30_000;
const REMEMBERED_MILLISECONDS = DAY_MILLISECONDS;
/** An idle process is kept for this long. */
const IDLE_MILLISECONDS = 2_000;
/** A process may have exited while it was idle. */
const MAX_ATTEMPTS = 2;
/** The variables that locate Deno's cache; secrets are not passed on. */
const ENVIRONMENT = ["DENO_DIR", "HOME", "PATH", "SYSTEMROOT", "XDG_CACHE_HOME"];

const unpaintableKey = (version: string): Deno.KvKey => ["unpaintable", version];

/** Creates the maker of pictures. Its process starts with the first picture, and ends when it has been idle. */
export function createPictures(options: PicturesOptions): Pictures {
  const { kv, now, log, program = PROGRAM, maxMilliseconds = MAX_MILLISECONDS } = options;
  const inTurn = createSemaphore(1);
  /** Found by this isolate, in case the database cannot store it. */
  const known = new LRUCache<string, Unpaintable>({ max: 10_000 });
  /** It pauses after a failed start. */
  const starting = createCache<Reader>({ now, maxBytes: 1, bytesOf: () => 0, isKept: () => false });
  let reader: Reader | null = null;
  let idle: ReturnType<typeof setTimeout> | undefined;

  /** A time too far in the future comes from a wrong clock. */
  function isInForce({ until }: Unpaintable): boolean {
    const left = until - now();
    return left > 0 && left <= REMEMBERED_MILLISECONDS;
  }

  async function getUnpaintable(version: string): Promise<Unpaintable | null> {
    const own = known.get(version);
    if (own !== undefined && isInForce(own)) return own;
    const { value } = await getEntry<Unpaintable>(kv, unpaintableKey(version));
    return value !== null && isInForce(value) ? value : null;
  }

  /** Remembers a failed picture; returns the error to throw. */
  async function remember(version: string, reason: string): Promise<UnpaintableError> {
    const value: Unpaintable = { until: now() + REMEMBERED_MILLISECONDS, reason };
    known.set(version, value);
    log.warn("events: a picture failed and is not tried again for a day", { version, reason });
    const expiry = { expireIn: REMEMBERED_MILLISECONDS };
    await setEntry(kv, unpaintableKey(version), value, expiry).catch((cause) =>
      log.warn("events: a picture's failure cannot be stored, so only this process knows it", {
        version,
        cause,
      })
    );
    return new UnpaintableError(version, reason);
  }

  async function stop(): Promise<void> {
    const ending = reader?.end();
    reader = null;
    await ending;
  }

  function start(): Promise<Reader> {
    return starting.get("reader", () =>
      startReader(program).catch((cause) => {
        log.warn("events: the process that reads pictures cannot be started", { cause });
        throw new NotStartedError("the process that reads pictures cannot be started", { cause });
      }));
  }

  /**
   * Runs one job. A failure is attributed to the image that was read last, or else to the job itself. If the
   * process had exited before it began, another one runs it.
   */
  async function work(job: Job, images: readonly StoredImage[], version: string) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = reader ??= await start();
      let suspect: string | null = null;
      const asked = async () => {
        await current.send(job, images.map(({ bytes }) => bytes));
        for (;;) {
          const report = await current.next();
          if (report?.value.kind !== "reading") return report;
          suspect = images[report.value.file ?? -1]?.version ?? version;
        }
      };
      const late = `it takes longer than ${maxMilliseconds} ms`;
      const report = await withTimeout(
        maxMilliseconds,
        // The pipe breaks when the process ends.
        asked().catch(() => undefined),
        () => ({ value: { kind: "failed" as const, reason: late }, files: [] }),
      );
      if (report?.value.kind === "done") {
        // WebAssembly never frees memory, and the next picture needs as much as this one had.
        if (report.value.isOvergrown) await stop();
        return report.files[0] ?? null;
      }
      await stop();
      const reason = report?.value.kind === "failed"
        ? report.value.reason
        : "it crashes the process that reads it";
      if (suspect !== null) throw await remember(suspect, reason);
    }
    throw new NotStartedError("the process that reads pictures exits before it reads one");
  }

  /** Each turn includes the read of the record, since the turn before may have tried the same picture. */
  function run<T>(make: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      clearTimeout(idle);
      try {
        return await make();
      } finally {
        idle = setTimeout(stop, IDLE_MILLISECONDS);
        idle.unref();
      }
    });
  }

  async function assertPaintable(version: string): Promise<void> {
    const held = await getUnpaintable(version);
    if (held !== null) throw new UnpaintableError(version, held.reason);
  }

  /** Paints without the files known to be unpaintable; null if another one has just proved to be. */
  async function paintOnce({ version, drawing, files }: Contents): Promise<Painted | null> {
    await assertPaintable(version);
    const images: StoredImage[] = [];
    const placed: { [name in FileName]?: { index: number; version: string } } = {};
    let lacksImage = false;
    for (const name of FILE_NAMES) {
      const image = files[name] ?? null;
      if (image === null) continue;
      if (await getUnpaintable(image.version) !== null) lacksImage = true;
      else placed[name] = { index: images.push(image) - 1, version: image.version };
    }
    try {
      const bytes = await work({ ...drawing, files: placed }, images, version);
      if (bytes === null) throw new Error("no picture was painted");
      return { bytes, lacksImage };
    } catch (error) {
      if (error instanceof UnpaintableError && error.version !== version) return null;
      throw error;
    }
  }

  return {
    resize: (image, sizing) =>
      run(async () => {
        await assertPaintable(image.version);
        return await work({ kind: "resize", ...sizing }, [image], image.version);
      }),
    async paint(contents) {
      // If all of its files are at fault, the last attempt does without them.
      for (;;) {
        const painted = await run(() => paintOnce(contents));
        if (painted !== null) return painted;
      }
    },
  };
}

/** @throws {Error} if the process cannot be started or is not ready in time. */
async function startReader(program: URL) {
  const readable = [FONTS, new URL(".", import.meta.resolve("canvaskit-wasm/full"))];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--cached-only", "--no-prompt"],
      `--allow-read=${readable.map(({ pathname }) => decodeURIComponent(pathname)).join(",")}`,
      program.href,
    ],
    clearEnv: true,
    env: Object.fromEntries(
      Object.entries(Deno.env.toObject()).filter(([name]) => ENVIRONMENT.includes(name)),
    ),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  child.unref();
  const messages = readMessages<Report>(child.stdout);
  const input = child.stdin.getWriter();
  const reader = {
    async send(job: Job, files: readonly Uint8Array[]): Promise<void> {
      for (const part of encodeMessage(job, files)) await input.write(part);
    },
    /** The next report; undefined if the process has ended. */
    async next() {
      return (await messages.next()).value ?? undefined;
    },
    /** Kills it, and resolves when it has exited. */
    async end(): Promise<void> {
      child.ref();
      try {
        child.kill("SIGKILL");
      } catch (error) {
        // It had already exited.
        if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
      }
      await child.status;
    },
  };
  const isReady = await withTimeout(MAX_START_MILLISECONDS, reader.next(), () => undefined);
  if (isReady?.value.kind !== "ready") {
    await reader.end();
    throw new Error("it does not report that it is ready");
  }
  return reader;
}
