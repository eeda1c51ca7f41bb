/** A table for pages and islands. One that is wider than the text scrolls in a box that the keyboard reaches. */

import type { ComponentChildren } from "preact";

/** A table with a head; the children are its rows, each a `tr` that begins with a `th`. */
export function Table(
  { label, head, children }: {
    readonly label: string;
    readonly head: readonly string[];
    readonly children: ComponentChildren;
  },
) {
  return (
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((title) => <th key={title} scope="col">{title}</th>)}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
