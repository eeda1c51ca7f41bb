/** The code that `islands/Days.tsx` needs only after the organisation's midnight. */

import { stateInWords, whenInWords } from "../../lib/events/browser_later.ts";
import { statusOn } from "../../lib/events/browser.ts";

/** Writes the days of a page for another day (`YYYY-MM-DD`): every element with `data-days`. */
export function turnDays(date: string): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-days]")) {
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
