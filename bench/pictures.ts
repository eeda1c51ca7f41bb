/** The cost of events with hostile pictures for all other requests. */
// deno-lint-ignore-file no-console -- it tells how far it is

import { setTimeout as sleep } from "node:timers/promises";
import { startFoyer, startStore } from "./foyer.ts";
import type { Fact } from "./report.ts";
import type { Server } from "./server.ts";
import { median, percentile } from "./statistics.ts";

const EVENTS = 600;
const HOSTILE = 20;
const ASKED = ["/up", "/api/v1/events?limit=100"] as const;
const EVERY_MILLISECONDS = 10;
const SECONDS = 20;
/** Between two that a visitor asks for. */
const PAUSE_MILLISECONDS = 50;
/** Each picture in every form in which it is shown. */
const FORMS = ["card", "logo?w=800", "logo?w=1600", "background?w=800", "background"] as const;

/** Asks for what is quick, first alone, then while all hostile pictures are asked for again and again. */
export async function measurePictures(folder: string): Promise<Fact[]> {
  await using store = await startStore(EVENTS, HOSTILE);
  await using foyer = await startFoyer(`${folder}/pictures`, store);
  await timesOf(foyer, 2);
  const alone = await timesOf(foyer, SECONDS);
  const calm = new AbortController();
  const asking = FORMS.map((form) => askFor(foyer, form, calm.signal));
  const beside = await timesOf(foyer, SECONDS);
  calm.abort();
  const answered = (await Promise.all(asking)).reduce((sum, count) => sum + count, 0);
  console.error(`hostile pictures: measured beside ${answered} answers`);
  return ASKED.map((path) => ({
    name:
      `\`${path}\` while ${HOSTILE} events have hostile pictures, which are asked for 100 times a second`,
    figure: `${describe(beside.get(path))} (before that: ${describe(alone.get(path))})`,
  }));
}

/** Asks for a form of all hostile pictures until the signal aborts, and returns the number of responses. */
async function askFor({ origin }: Server, form: string, signal: AbortSignal): Promise<number> {
  let answered = 0;
  for (let at = 0; !signal.aborted; at = (at + 1) % HOSTILE) {
    const id = `rec${String(at).padStart(14, "0")}`;
    try {
      const response = await fetch(`${origin}/events/${id}/${form}`, { signal });
      // The bytes of large ones would hold up the one who measures.
      await response.body?.cancel();
      answered++;
      await sleep(PAUSE_MILLISECONDS, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return answered;
}

/** The milliseconds that each answer takes, by what was asked for. */
async function timesOf({ origin }: Server, seconds: number): Promise<Map<string, number[]>> {
  const end = performance.now() + seconds * 1_000;
  const all = ASKED.map(async (path): Promise<[string, number[]]> => {
    const times: number[] = [];
    while (performance.now() < end) {
      const startedAt = performance.now();
      const response = await fetch(origin + path);
      await response.arrayBuffer();
      times.push(performance.now() - startedAt);
      await sleep(EVERY_MILLISECONDS);
    }
    return [path, times];
  });
  return new Map(await Promise.all(all));
}

function describe(times: readonly number[] = []): string {
  const [middle, most] = [median(times), percentile(times, 99)].map((each) => each.toFixed(1));
  return `median ${middle} ms, p99 ${most} ms, at most ${Math.max(...times).toFixed(1)} ms`;
}
