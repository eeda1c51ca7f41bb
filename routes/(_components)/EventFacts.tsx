/** When and where an event is, in words. */

import type { Event } from "../../lib/events/model.ts";
import { datesInWords } from "../../lib/events/words.ts";

/** One line of facts: the dates, and the place or "online". */
export function EventFacts({ event }: { event: Event }) {
  const place = event.format === "online" ? "online" : event.inPerson?.location;
  return (
    <p class="facts">
      <time dateTime={event.startDate}>{datesInWords(event)}</time>
      {place ? ` · ${place}` : ""}
    </p>
  );
}
