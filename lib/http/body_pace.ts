/**
 * The pace at which bodies must come. To send a body byte by byte, or to hold its end back, costs a caller
 * nothing; the service keeps a place, a connection and room for it.
 */

import { PublicError } from "./errors.ts";

/** A body must come at this pace, on average over each {@linkcode BODY_PACE_SECONDS}. */
export const BODY_BYTES_PER_SECOND = 1024;
/** How often the pace is looked at, from the beginning of a body: nothing is too slow before. */
export const BODY_PACE_SECONDS = 5;
/** The pause that all bodies share. */
export const BODY_TICK_MILLISECONDS = 2_500;
const TICKS_PER_PACE = BODY_PACE_SECONDS * 1000 / BODY_TICK_MILLISECONDS;
/** How many bytes those seconds must bring, unless the body is complete. */
export const BODY_PACE_BYTES = BODY_PACE_SECONDS * BODY_BYTES_PER_SECOND;
/** The longest time that a body may take at any pace. */
export const BODY_MAX_SECONDS = 60;

/** A body while it is read. */
export interface PacedBody {
  /** Rejects with a `request_timeout` once the body is too slow, or with what `late` threw; never resolves. */
  readonly broken: Promise<never>;
  /** Counts bytes that have come. */
  arrived(bytes: number): void;
  /** Stops the watch. */
  end(): void;
}

/** Watches the bodies of one process. */
export interface BodyPace {
  /** Starts to watch a body; `late` is called once if it is not there when the next pause is over. */
  watch(late?: () => Promise<void>): PacedBody;
}

/**
 * Makes the watch. One pause at a time serves all bodies, and there is none while no body is read: a body
 * that is there at once starts no timer of its own.
 */
export function createBodyPace(
  { sleep }: { readonly sleep: (milliseconds: number) => Promise<void> },
): BodyPace {
  /** What the end of a pause does to each body. */
  const bodies = new Set<() => void>();
  let isTicking = false;

  async function tick(): Promise<void> {
    isTicking = true;
    while (bodies.size > 0) {
      await sleep(BODY_TICK_MILLISECONDS);
      for (const endPause of bodies) endPause();
    }
    isTicking = false;
  }

  return {
    watch(late) {
      const { promise: broken, reject } = Promise.withResolvers<never>();
      // The first pause may be over at once: it does not count.
      let ticks = -1;
      let recent = 0;
      function endPause(): void {
        if (++ticks === 0) return void late?.().catch(reject);
        if (ticks * BODY_TICK_MILLISECONDS >= BODY_MAX_SECONDS * 1000) reject(tooLong());
        if (ticks % TICKS_PER_PACE > 0) return;
        if (recent < BODY_PACE_BYTES) reject(tooSlow());
        recent = 0;
      }
      bodies.add(endPause);
      if (!isTicking) void tick();
      return {
        broken,
        arrived(bytes) {
          recent += bytes;
        },
        end() {
          bodies.delete(endPause);
        },
      };
    },
  };
}

function tooLong(): PublicError {
  return timeOut(`The body took longer than ${BODY_MAX_SECONDS} seconds.`);
}

function tooSlow(): PublicError {
  return timeOut(`The body came at less than ${BODY_BYTES_PER_SECOND} bytes a second.`);
}

function timeOut(message: string): PublicError {
  return new PublicError("request_timeout", message, {
    hint: "Send it again, on a new connection.",
    // RFC 9110, section 15.5.9.
    headers: { "connection": "close" },
  });
}
