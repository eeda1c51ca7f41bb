/** A table of text. */

import type { ComponentChildren } from "preact";

/**
 * A table; the first cell of a row names it. On a narrow screen each cell begins with its column's name
 * (`data-column`), unless a row fits on one line there. A table that is still too wide scrolls in a box that the
 * keyboard can focus.
 */
export function Table({ label, head, rows, hasFigures = false, hasLines = false }: {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly [name: ComponentChildren, ...cells: ComponentChildren[]])[];
  /** Whether all columns but the first are figures, and any screen has room for them. */
  readonly hasFigures?: boolean;
  /** Whether a row is one line on any screen, of the columns that the page's sheet leaves there. */
  readonly hasLines?: boolean;
}) {
  if (rows.length === 0) return <p>Nothing yet.</p>;
  return (
    <section
      class={hasFigures ? "scroll one-line figures" : hasLines ? "scroll one-line lines" : "scroll"}
      aria-label={label}
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {head.map((title) => <th key={title} scope="col">{title}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...rest], row) => (
            <tr key={row}>
              <th scope="row" data-column={head[0]}>{first}</th>
              {rest.map((text, column) => (
                <td key={column} data-column={head[column + 1]}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
