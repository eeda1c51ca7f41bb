/** Lists of links. */

import type { ComponentChildren, JSX } from "preact";
import type { chosenFilters, Selection } from "../../lib/events/site/selection.ts";

/** A link of a list: its text, and the attributes of its element. */
type Link = { readonly label: string } & JSX.IntrinsicElements["a"];

/** A list of links; an item before them can be given. */
export function LinkList({ links, children, ...list }:
  & { readonly links: readonly Link[]; readonly children?: ComponentChildren }
  & JSX.IntrinsicElements["ul"]) {
  return (
    <ul {...list}>
      {children}
      {links.map(({ label, ...link }) => (
        <li key={label}>
          <a {...link}>{label}</a>
        </li>
      ))}
    </ul>
  );
}

/** A link that chooses a value, which may be chosen already. */
export function choice(label: string, href: string, isOn: boolean, classes = ""): Link {
  const all = [classes, isOn ? "on" : ""].filter(Boolean).join(" ");
  return { label, class: all || undefined, href, "aria-current": isOn ? "true" : undefined };
}

/** The chosen values, each a link to the page without it; `children` are further items. */
export function Chosen({ values, hrefOf, children, ...list }: {
  readonly class: string;
  readonly values: ReturnType<typeof chosenFilters>;
  readonly hrefOf: (without: Selection) => string;
  readonly children?: ComponentChildren;
}) {
  return (
    <ul {...list} aria-label="Chosen">
      {values.map(({ label, without }) => (
        <li key={label}>
          <a class="chip on" href={hrefOf(without)}>
            <span class="hidden">Without</span>
            <bdi>{label}</bdi> <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {children}
    </ul>
  );
}
