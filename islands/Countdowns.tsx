/** Keeps the states of events ("in 9 days") current, in the visitor's own time zone. */

import { useEffect } from "preact/hooks";
import { timeLeft } from "../lib/site/browser.ts";

const EVERY_MILLISECONDS = 30_000;
const IN_OWN_TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });

/** Updates every element with `data-begins` or `data-ends`; renders nothing itself. */
export default function Countdowns() {
  useEffect(() => {
    update();
    const timer = setInterval(update, EVERY_MILLISECONDS);
    document.addEventListener("foyer:shown", updateSoon);
    return () => {
      clearInterval(timer);
      document.removeEventListener("foyer:shown", updateSoon);
    };
  }, []);
  return null;
}

/** Updates after the cards have been drawn, with the server's words until then. */
function updateSoon(): void {
  requestAnimationFrame(() => setTimeout(update));
}

function update(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-begins], [data-ends]")) {
    const { begins, ends } = element.dataset;
    const words = stateNow(Date.now(), Date.parse(begins ?? ""), Date.parse(ends ?? ""));
    if (words !== null && element.textContent !== words) element.textContent = words;
    // It never changes, and a page has three hundred of them.
    if (element.title !== "") continue;
    const next = IN_OWN_TIME.format(new Date(begins ?? ends ?? ""));
    element.title = `${begins === undefined ? "Ends" : "Begins"} ${next}, your time`;
  }
}

/** The current state in words; null where the server's words are as precise. NaN is an unknown time. */
function stateNow(now: number, begins: number, ends: number): string | null {
  if (now < begins) {
    const left = timeLeft(now, begins);
    return left === null ? null : `in ${left}`;
  }
  if (Number.isNaN(ends)) return "now";
  if (now >= ends) return "is over";
  const left = timeLeft(now, ends);
  return left === null ? "now" : `now, ${left} left`;
}
