/** Loads an open page again after the organisation's midnight, when its words such as "tomorrow" are wrong. */

import { useEffect } from "preact/hooks";
import { dateIn } from "../lib/platform/time.ts";

const EVERY_MILLISECONDS = 30_000;

/** Renders nothing. */
export default function Days({ timeZone }: {
  /** The zone of the events' days. */
  readonly timeZone: string;
}) {
  useEffect(() => {
    // Not the server's day: a browser with a wrong clock would load the page again and again.
    const opened = dateIn(Date.now(), timeZone);
    // For as long as the page is open: an island is never removed.
    setInterval(() => {
      const isWritten = document.activeElement?.matches("input, select, textarea") ?? false;
      if (!isWritten && dateIn(Date.now(), timeZone) !== opened) location.reload();
    }, EVERY_MILLISECONDS);
  }, []);
  return null;
}
