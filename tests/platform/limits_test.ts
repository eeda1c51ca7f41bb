/** The time limits of a process. */

import assert from "node:assert/strict";
import { createLimits } from "../../lib/platform/timeout.ts";

/** Limits over a clock that `pass` moves. */
function createWorld() {
  let now = 0;
  let started = 0;
  const timers = new Set<{ readonly work: () => void; readonly at: number }>();
  const startLimit = createLimits((work, milliseconds) => {
    started++;
    const timer = { work, at: now + milliseconds };
    timers.add(timer);
    return () => void timers.delete(timer);
  }, () => now);
  return {
    startLimit,
    started: () => started,
    waiting: () => timers.size,
    pass(milliseconds: number): void {
      for (const end = now + milliseconds; now < end;) {
        now += 100;
        for (const timer of timers) {
          if (timer.at > now) continue;
          timers.delete(timer);
          timer.work();
        }
      }
    },
  };
}

Deno.test("a limit ends its work in time, a long one up to a second late, unless it was stopped", () => {
  const { startLimit, pass, waiting } = createWorld();
  const ended: string[] = [];
  const start = (name: string, milliseconds: number) =>
    startLimit(() => ended.push(name), milliseconds);
  start("short", 9_900);
  start("long", 10_000);
  start("longest", 20_000);
  const stop = start("stopped", 15_000);
  pass(9_800);
  assert.deepEqual(ended, []);
  pass(100);
  assert.deepEqual(ended, ["short"]);
  pass(1_100);
  assert.deepEqual(ended, ["short", "long"]);
  stop();
  pass(10_000);
  assert.deepEqual(ended, ["short", "long", "longest"]);
  assert.equal(waiting(), 0, "nothing is watched without limits");
});

Deno.test("long limits share one timer, which begins anew after a pause", () => {
  const { startLimit, started, pass } = createWorld();
  const ended: number[] = [];
  for (let at = 0; at < 100; at++) startLimit(() => ended.push(at), 60_000)();
  assert.equal(started(), 1);
  pass(5_000);
  startLimit(() => ended.push(100), 60_000);
  pass(61_000);
  assert.deepEqual(ended, [100]);
});

Deno.test("a limit that is stopped never ends its work, whichever others are stopped", () => {
  for (let stopped = 0; stopped < 2 ** 5; stopped++) {
    const { startLimit, pass, waiting } = createWorld();
    const ended: number[] = [];
    const stops = [0, 1, 2, 3, 4].map((at) => startLimit(() => ended.push(at), 10_000 + at));
    const isStopped = (at: number) => (stopped >> at) % 2 === 1;
    const chosen = stops.filter((_, at) => isStopped(at));
    // A second call has no effect.
    for (const stop of [...chosen, ...chosen]) stop();
    pass(12_000);
    assert.deepEqual(ended.toSorted(), [0, 1, 2, 3, 4].filter((at) => !isStopped(at)));
    assert.equal(waiting(), 0);
  }
});

Deno.test("a limit that is late too does not end its work once another one has stopped it", () => {
  const { startLimit, pass } = createWorld();
  let stop = () => {};
  startLimit(() => stop(), 10_000);
  stop = startLimit(() => assert.fail("it was stopped"), 10_000);
  pass(12_000);
});
