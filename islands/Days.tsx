/** Turns the days of an open page ("tomorrow", "until Sunday") at the organisation's midnight. */

import { useEffect } from "preact/hooks";
import { dateIn } from "../lib/platform/time.ts";

const EVERY_MILLISECONDS = 30_000;

/** Updates every element with `data-days`; renders nothing itself. */
export default function Days({ today, timeZone }: {
  /** The day for which the server wrote the page: `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
}) {
  useEffect(() => {
    let turnDays: ((date: string) => void) | null = null;
    turn();
    // For as long as the page is open: an island is never removed.
    setInterval(turn, EVERY_MILLISECONDS);

    function turn(): void {
      const date = dateIn(Date.now(), timeZone);
      if (date <= today) return;
      if (turnDays !== null) return turnDays(date);
      import("../components/shared/turn_days.ts").then((module) => {
        turnDays = module.turnDays;
        turn();
      }, () => {
        // A page of an earlier build may not find this script. Its days are right again after it is reloaded.
      });
    }
  }, []);
  return null;
}
