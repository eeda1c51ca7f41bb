/**
 * What reads, makes smaller and paints other people's pictures: Skia, in a process of its own with limits of time
 * and memory. Skia answers to nobody while it works; a thread of Deno's that is busy cannot be ended (a `Worker` that
 * is terminated goes on to the end of what it does), a process can. A picture for which it had to be ended, or that
 * broke it, is remembered in the database by its attachment, so that no isolate tries it again for a day.
 */

import { LRUCache } from "lru-cache";
import { getEntry, setEntry } from "../kv/mod.ts";
import type { Log } from "../telemetry/mod.ts";
import { DAY_MILLISECONDS } from "../time.ts";
import { withTimeout } from "../timeout.ts";
import type { StoredImage } from "./images.ts";
import { encodeMessage, type Job, readMessages, type Report, type Sizing } from "./messages.ts";
import type { SharingFacts } from "./painter.ts";
import { createSemaphore } from "../semaphore.ts";

/** What a picture that an event is shared with shows. */
export interface Card {
  /** Names all of it. */
  readonly version: string;
  readonly facts: SharingFacts;
  readonly logo: StoredImage | null;
  readonly background: StoredImage | null;
}

/** A picture that an event is shared with. */
interface PaintedCard {
  /** A PNG file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether an image was left out since it cannot be painted for now. */
  readonly lacksImage: boolean;
}

/** Makes pictures, one after the other. */
export interface Pictures {
  /**
   * The image as a WebP file; null if it cannot be read, is too large or moves.
   *
   * @throws {UnpaintableError} if it has passed the limits, now or within a day.
   * @throws {NotStartedError} if the process cannot be started.
   */
  resize(image: StoredImage, sizing: Sizing): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * The picture that an event is shared with, without the images that have passed the limits.
   *
   * @throws {UnpaintableError} if it passes them without its images too.
   * @throws {NotStartedError} if the process cannot be started.
   */
  paint(card: Card): Promise<PaintedCard>;
}

/** What is needed from outside. */
export interface PicturesOptions {
  readonly kv: Deno.Kv;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
  /** The process's program, and how long a picture may take; tests have their own. */
  readonly program?: URL;
  readonly maxMilliseconds?: number;
}

/** A picture has passed the limits of time or memory, or broken what reads it. */
export class UnpaintableError extends Error {
  override readonly name = "UnpaintableError";
  constructor(readonly version: string, reason: string) {
    super(reason);
  }
}

/** The process that reads pictures cannot be started here and now. */
export class NotStartedError extends Error {
  override readonly name = "NotStartedError";
}

/** What is remembered of such a picture. */
interface Unpaintable {
  /** Epoch milliseconds until which it is left alone. */
  readonly until: number;
  readonly reason: string;
}

/** A process that is ready, and the reports that it gives. */
interface Reader {
  send(job: Job, files: readonly Uint8Array[]): Promise<void>;
  next(): Promise<{ value: Report; files: readonly Uint8Array<ArrayBuffer>[] } | null>;
  /** Resolves when it is gone. */
  end(): Promise<void>;
}

const PROGRAM = new URL("./picture_program.ts", import.meta.url);
const FONTS = new URL("../../static/fonts/", import.meta.url);
/** The largest that are read take three seconds of a processor; a busy machine may have less to give. */
const MAX_MILLISECONDS = 20_000;
const MAX_START_MILLISECONDS = 30_000;
const REMEMBERED_MILLISECONDS = DAY_MILLISECONDS;
/** Where no process can be started, another try comes after this. */
const START_PAUSE_MILLISECONDS = 60_000;
/** A process with nothing to do keeps its memory for so long. */
const IDLE_MILLISECONDS = 2_000;
/** A process may have ended while it had nothing to do. */
const MAX_ATTEMPTS = 2;
/** What tells Deno where its cache is; secrets stay behind. */
const ENVIRONMENT = ["DENO_DIR", "HOME", "PATH", "SYSTEMROOT", "XDG_CACHE_HOME"];

const unpaintableKey = (version: string): Deno.KvKey => ["unpaintable", version];

/** Makes the maker of pictures. Its process starts with the first one, and ends when none has been wanted for a while. */
export function createPictures(options: PicturesOptions): Pictures {
  const { kv, now, log, program = PROGRAM, maxMilliseconds = MAX_MILLISECONDS } = options;
  const inTurn = createSemaphore(1);
  /** What this isolate found out, should the database not take it. */
  const known = new LRUCache<string, Unpaintable>({ max: 10_000 });
  let reader: Reader | null = null;
  let restsUntil = -Infinity;
  let waiting = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  /** A moment further ahead than it can be was written by a clock that went wrong. */
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

  /** @returns what is to be thrown. */
  async function remember(version: string, reason: string): Promise<UnpaintableError> {
    const value: Unpaintable = { until: now() + REMEMBERED_MILLISECONDS, reason };
    known.set(version, value);
    log.warn("events: a picture is left alone for a day", { version, reason });
    try {
      const expiry = { expireIn: REMEMBERED_MILLISECONDS };
      await setEntry(kv, unpaintableKey(version), value, expiry);
    } catch (cause) {
      log.warn("events: only this process knows of a picture to be left alone", { version, cause });
    }
    return new UnpaintableError(version, reason);
  }

  async function stop(): Promise<void> {
    const ending = reader?.end();
    reader = null;
    await ending;
  }

  async function start(): Promise<Reader> {
    if (now() < restsUntil && restsUntil - now() <= START_PAUSE_MILLISECONDS) {
      throw new NotStartedError(
        "the process that reads pictures could not be started a moment ago",
      );
    }
    try {
      return await startReader(program);
    } catch (cause) {
      restsUntil = now() + START_PAUSE_MILLISECONDS;
      log.warn("events: the process that reads pictures cannot be started", { cause });
      throw new NotStartedError("the process that reads pictures cannot be started", { cause });
    }
  }

  /**
   * One job: what fails is the fault of the image that was read last, else of the job itself. Where the process had
   * ended before it began, another one does it.
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
        // A pipe breaks where the process ends.
        asked().catch(() => null),
        () => ({ value: { kind: "failed" as const, reason: late }, files: [] }),
      );
      if (report?.value.kind === "done") {
        // WebAssembly gives no memory back: the next picture shall find as much as this one did.
        if (report.value.isOvergrown) await stop();
        return report.files[0] ?? null;
      }
      await stop();
      const reason = report?.value.kind === "failed"
        ? report.value.reason
        : "it ends what reads it";
      if (suspect !== null) throw await remember(suspect, reason);
    }
    throw new NotStartedError("the process that reads pictures ends before it reads one");
  }

  /** What is remembered is looked up in turn: the picture may wait for itself in another size. */
  async function run<T>(make: () => Promise<T>): Promise<T> {
    waiting++;
    clearTimeout(idle);
    try {
      return await inTurn(make);
    } finally {
      if (--waiting === 0) {
        idle = setTimeout(stop, IDLE_MILLISECONDS);
        idle.unref();
      }
    }
  }

  async function assertPaintable(version: string): Promise<void> {
    const held = await getUnpaintable(version);
    if (held !== null) throw new UnpaintableError(version, held.reason);
  }

  /** Without the images that are to be left alone; null if one of them has just shown that it is another of these. */
  async function paintOnce({ version, facts, ...images }: Card): Promise<PaintedCard | null> {
    await assertPaintable(version);
    const files: StoredImage[] = [];
    let lacksImage = false;
    const place = async (image: StoredImage | null) => {
      if (image === null) return null;
      if (await getUnpaintable(image.version) === null) return files.push(image) - 1;
      lacksImage = true;
      return null;
    };
    const [logo, background] = [await place(images.logo), await place(images.background)];
    try {
      const bytes = await work({ kind: "paint", facts, logo, background }, files, version);
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
    async paint(card) {
      // With each of its two images at fault it is painted the third time.
      for (;;) {
        const painted = await run(() => paintOnce(card));
        if (painted !== null) return painted;
      }
    },
  };
}

/** @throws {Error} if it cannot be started, or is not ready in time. */
async function startReader(program: URL): Promise<Reader> {
  const readable = [FONTS, new URL(".", import.meta.resolve("canvaskit-wasm/full"))];
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--cached-only", "--no-prompt"],
      `--allow-read=${readable.map(({ pathname }) => decodeURIComponent(pathname)).join(",")}`,
      program.href,
    ],
    clearEnv: true,
    env: Object.fromEntries(ENVIRONMENT.flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    })),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  child.unref();
  const messages = readMessages<Report>(child.stdout);
  const input = child.stdin.getWriter();
  const reader: Reader = {
    async send(job, files) {
      for (const part of encodeMessage(job, files)) await input.write(part);
    },
    async next() {
      const { value } = await messages.next();
      return value ?? null;
    },
    async end() {
      child.ref();
      try {
        child.kill("SIGKILL");
      } catch (error) {
        // It has ended by itself.
        if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
      }
      await child.status;
    },
  };
  const isReady = await withTimeout(MAX_START_MILLISECONDS, reader.next(), () => null);
  if (isReady?.value.kind !== "ready") {
    await reader.end();
    throw new Error("it does not say that it is ready");
  }
  return reader;
}
