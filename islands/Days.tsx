/** Loads an open page again once the organisation has another day: its words ("tomorrow") are of the day before. */

import { useEffect } from "preact/hooks";
import { dateIn } from "../lib/platform/time.ts";

/** The day for which this tab has loaded a page again; a device whose clock is wrong does it once. */
const LOADED_FOR = "day";

/** Checks when the page comes, and when a visitor returns to it; renders nothing itself. */
export default function Days({ today, timeZone }: {
  /** The day for which the server wrote the page: `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
}) {
  useEffect(() => {
    const check = () => {
      const date = dateIn(Date.now(), timeZone);
      if (document.hidden || date <= today || sessionStorage.getItem(LOADED_FOR) === date) return;
      sessionStorage.setItem(LOADED_FOR, date);
      location.reload();
    };
    check();
    document.addEventListener("visibilitychange", check);
  }, []);
  return null;
}
