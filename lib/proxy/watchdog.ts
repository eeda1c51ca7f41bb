/** Ends a call of a provider that is silent for too long, or whose caller has gone. */

/** Why a call was ended from this side. */
export type EndReason = "timeout" | "aborted";

/** Watches one call. */
export interface Watchdog {
  /** Aborts the call; its reason is an {@linkcode EndReason}. */
  readonly signal: AbortSignal;
  /** Why it was ended, if it was. */
  readonly ended: EndReason | null;
  /** From now on the provider has its time to send something. */
  expect(): void;
  /** The provider sent something, or nothing is expected of it. */
  rest(): void;
}

/** Creates a watchdog. The caller's signal may also fire after a complete answer: that does no harm. */
export function createWatchdog(caller: AbortSignal, milliseconds: number): Watchdog {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended: EndReason | null = null;
  function end(reason: EndReason) {
    clearTimeout(timer);
    ended ??= reason;
    controller.abort(new DOMException(reason, "AbortError"));
  }
  if (caller.aborted) end("aborted");
  else caller.addEventListener("abort", () => end("aborted"), { once: true });
  return {
    signal: controller.signal,
    get ended() {
      return ended;
    },
    expect() {
      clearTimeout(timer);
      timer = setTimeout(() => end("timeout"), milliseconds);
    },
    rest() {
      clearTimeout(timer);
    },
  };
}
