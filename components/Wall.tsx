/** The events of a programme in their groups, rendered by the server and by the filters alike. */

import type { ComponentChildren } from "preact";
import {
  type Group,
  isSmall,
  PAGE_LENGTH,
  type Programme,
  type Selection,
  selectionHref,
} from "../lib/site/browser.ts";

interface WallProps {
  readonly programme: Programme;
  readonly selection: Selection;
  /** The cards of a group, each a list item. */
  cardsOf?(group: Group): ComponentChildren;
  /** Puts existing elements into a group's list. */
  fillList?(group: Group, list: Element): void;
}

/** The groups, then the link to the next page; or a sentence that nothing matches. */
export function Wall({ programme, selection, cardsOf, fillList }: WallProps) {
  const { groups, count, allPast, until, left } = programme;
  const { text } = selection;
  return (
    <>
      {count === 0 && (
        <div class="empty wide">
          <h2>No events match.</h2>
          <p>
            {text !== "" && (
              <>
                No event with these filters contains “<bdi>{text}</bdi>”.{" "}
              </>
            )}
            Remove a filter, or <a href="/">see all events</a>.
          </p>
        </div>
      )}
      {groups.map((group) => {
        const { id, title } = group;
        // The heading of the featured events is for screen readers only.
        const isFeatured = id === "pinned";
        return (
          <section key={id} class={isFeatured ? "wide" : "group wide"} aria-labelledby={id}>
            <h2 id={id} class={isFeatured ? "hidden" : undefined}>{title}</h2>
            <ul
              class={isFeatured ? "lead" : isSmall(group) ? "pasts" : "cards"}
              ref={(list) => void (list && fillList?.(group, list))}
            >
              {cardsOf?.(group)}
            </ul>
            {id === "past" && allPast !== null && (
              <p>
                <a href={selectionHref({ ...selection, statuses: ["ended"], from: 0 })}>
                  All {allPast} past events
                </a>
              </p>
            )}
          </section>
        );
      })}
      {left > 0 && (
        <p class="next wide">
          <a
            class="plain-button"
            rel="next"
            href={selectionHref({ ...selection, from: until })}
          >
            {nextInWords(left)}
          </a>
        </p>
      )}
    </>
  );
}

/** "Show the next 300 of 310 more". */
function nextInWords(left: number): string {
  if (left === 1) return "Show the last one";
  return left > PAGE_LENGTH
    ? `Show the next ${PAGE_LENGTH} of ${left} more`
    : `Show the last ${left}`;
}
