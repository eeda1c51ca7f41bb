/** The events of a programme in their groups, as the server writes them and as the browser rearranges them. */

import type { ComponentChildren } from "preact";
import {
  type Group,
  isSmall,
  PAGE_LENGTH,
  type Programme,
  type ProgrammePage,
  type Selection,
  selectionHref,
} from "../lib/site/browser.ts";

/** What is on the wall. */
interface WallProps {
  readonly programme: Programme;
  readonly page: ProgrammePage;
  readonly selection: Selection;
  /** The cards of a group, each a list item. */
  cardsOf?(group: Group): ComponentChildren;
  /** Puts cards that are elements already into a group's list. */
  hang?(group: Group, list: Element): void;
}

/** Group after group; the way to the next page, or why there is nothing. */
export function Wall({ programme, page, selection, cardsOf, hang }: WallProps) {
  const { count, ended, hiddenEnded } = programme;
  return (
    <>
      {count === 0 && <NothingFits text={selection.text} />}
      {page.groups.map((group) => (
        <GroupSection key={group.id} group={group}>
          <ul
            class={group.id === "pinned" ? "lead" : isSmall(group) ? "pasts" : "cards"}
            ref={(list) => void (list && hang?.(group, list))}
          >
            {cardsOf?.(group)}
          </ul>
          {group.id === "past" && hiddenEnded > 0 && (
            <p>
              <a href={selectionHref({ ...selection, statuses: ["ended"], from: 0 })}>
                All past events, {ended.length + hiddenEnded} of them
              </a>
            </p>
          )}
        </GroupSection>
      ))}
      {page.left > 0 && (
        <p class="next wide">
          <a
            class="plain-button"
            rel="next"
            href={selectionHref({ ...selection, from: page.until })}
          >
            {nextInWords(page)}
          </a>
        </p>
      )}
    </>
  );
}

/** "Show the next 300 of 310 more". */
function nextInWords({ left }: ProgrammePage): string {
  if (left === 1) return "Show the last one";
  return left > PAGE_LENGTH
    ? `Show the next ${PAGE_LENGTH} of ${left} more`
    : `Show the last ${left}`;
}

/** A group under its heading, which is there to be heard alone where what is in front speaks for itself. */
function GroupSection({ group, children }: { group: Group; children: ComponentChildren }) {
  const { id, title } = group;
  const isInFront = id === "pinned";
  return (
    <section class={isInFront ? "wide" : "group wide"} aria-labelledby={id}>
      <h2 id={id} class={isInFront ? "hidden" : undefined}>{title}</h2>
      {children}
    </section>
  );
}

function NothingFits({ text }: { text: string }) {
  return (
    <div class="empty wide">
      <h2>Nothing fits that.</h2>
      <p>
        {text !== "" && (
          <>
            No event has “<bdi>{text}</bdi>” in it with these filters.{" "}
          </>
        )}
        Take a filter away, or <a href="/">see everything</a>.
      </p>
    </div>
  );
}
