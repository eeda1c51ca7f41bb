/** Turns the days of an open page ("tomorrow", "until Sunday") at the organisation's midnight. */

import { useEffect } from "preact/hooks";
import { dateIn, stateInWords, whenInWords } from "../lib/site/browser.ts";
import { statusOn } from "../lib/events/browser.ts";

interface DaysProps {
  /** The day for which the server wrote the page: `YYYY-MM-DD`. */
  readonly today: string;
  /** The zone of the events' days. */
  readonly timeZone: string;
}

const EVERY_MILLISECONDS = 30_000;

/** Updates every element with `data-days`; renders nothing itself. */
export default function Days({ today, timeZone }: DaysProps) {
  useEffect(() => {
    turn();
    const timer = setInterval(turn, EVERY_MILLISECONDS);
    // The filters may bring back cards of the day before.
    document.addEventListener("foyer:shown", turn);
    return () => {
      clearInterval(timer);
      document.removeEventListener("foyer:shown", turn);
    };

    function turn(): void {
      const date = dateIn(Date.now(), timeZone);
      if (date > today) document.querySelectorAll<HTMLElement>("[data-days]").forEach(tell);

      function tell(element: HTMLElement): void {
        const [startDate = "", endDate = ""] = element.dataset["days"]?.split("/") ?? [];
        const event = { startDate, endDate: endDate || null };
        if (element.localName === "time") {
          element.textContent = whenInWords(event, date);
        } else {
          element.textContent = stateInWords(event, date);
          element.className = `state state-${statusOn(event, date)}`;
        }
      }
    }
  }, []);
  return null;
}
