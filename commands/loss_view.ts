/** Renders a refused loss of events. */

import { lossInWords, type RefusedLoss, remedyInWords } from "../lib/events/mod.ts";
import { alignColumns, formatMoment, printable, toIso } from "./values.ts";

/** A loss for `--json`. */
export function toLossJson({ acceptedUntil, digest: _digest, ...facts }: RefusedLoss) {
  return { ...facts, acceptedUntil: toIso(acceptedUntil) };
}

/** A loss as text. */
export function renderLoss(loss: RefusedLoss): string {
  const { gone, leftOut, examples, acceptedUntil } = loss;
  const more = gone + leftOut - examples.length;
  return [
    `${lossInWords(loss)}.`,
    ...alignColumns(examples.map(({ id, name }) => [id, name])),
    ...(more > 0 ? [`and ${more} more`] : []),
    acceptedUntil === null
      ? `${remedyInWords(loss)}. If the loss is intended, run: deno task events accept`
      : `Accepted until ${formatMoment(acceptedUntil)}.`,
  ].map(printable).join("\n");
}
