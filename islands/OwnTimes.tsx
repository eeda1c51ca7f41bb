/** Writes the moments of a member's page in the reader's own zone; UTC is one click away. */

import { useEffect, useState } from "preact/hooks";
import { useOwnHistory } from "../components/shared/history.ts";
import { momentInWords } from "../lib/platform/time.ts";

/** The names that browsers have for UTC. */
const UTC = /^(?:Etc\/)?(?:UTC|UCT|GMT[+-]?0?|Greenwich|Universal|Zulu)$/;

/** Says which zone the page's moments are in. Without a script it is UTC. */
export default function OwnTimes() {
  useOwnHistory();
  const [own, setOwn] = useState<string | null>(null);
  const [isOwn, setIsOwn] = useState(true);
  const isUtc = own === null || !isOwn;
  useEffect(() => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!UTC.test(timeZone)) setOwn(timeZone);
  }, []);
  useEffect(() => {
    if (own === null) return;
    const now = new Date();
    for (const time of document.querySelectorAll<HTMLTimeElement>("time.moment")) {
      time.textContent = momentInWords(new Date(time.dateTime), now, isUtc ? "UTC" : own);
    }
  }, [own, isUtc]);
  return (
    <p class="fine zone">
      Times are in {isUtc ? "UTC" : own}. {own !== null && (
        <button
          type="button"
          class="quiet-button"
          onClick={() => setIsOwn(isUtc)}
        >
          Show {isUtc ? own : "UTC"}
        </button>
      )}
    </p>
  );
}
