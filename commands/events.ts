/** `deno task events`: asks for a read of the record store, and settles one that was refused because it would lose most events. */

import {
  lossInWords,
  readFailure,
  type RefusedLoss,
  remedyInWords,
  storeNotifications,
} from "../lib/events/mod.ts";
import { acceptRefusedLoss } from "../lib/operate/mod.ts";
import { originOf, WHY } from "./origin.ts";
import { runProcess } from "./process.ts";
import { type Command, Mistake, type Tool } from "./tool.ts";
import { alignColumns, formatMoment, printable, toIso } from "./values.ts";

const loss: Command = {
  summary: "Shows the events that the last read would have lost, if it was refused for that.",
  examples: [
    ["loss", "how many, why, and some of their names"],
    ["loss --json | jq .", "null if no read was refused"],
  ],
  async run(_given, { kv }) {
    const { loss = null } = await readFailure(kv) ?? {};
    return {
      json: loss && toLossJson(loss),
      text: loss === null ? "No read was refused for losing events." : renderLoss(loss),
    };
  },
};

const accept: Command = {
  summary: "Accepts the loss for which the last read was refused: for an hour, and no other loss.",
  examples: [[
    "accept",
    "after a look at `loss`, for example if old events were removed on purpose",
  ]],
  options: WHY,
  async run(given, place) {
    const accepted = await acceptRefusedLoss(place.kv, null, originOf(given, place));
    if (accepted === null) {
      throw new Mistake("no read was refused for losing events; see `deno task status`", 1);
    }
    return {
      json: toLossJson(accepted),
      text: `${renderLoss(accepted)}\nThe next read, within about a minute, will succeed.`,
    };
  },
};

const read: Command = {
  summary: "Asks the service on this database to read the record store soon, as after an edit.",
  examples: [["read", "the site shows an edit within seconds, while it has visitors"]],
  async run(_given, { kv, now }) {
    const at = now();
    await storeNotifications(kv, { firstAt: at, lastAt: at });
    return {
      json: { askedAt: toIso(at) },
      text:
        "The events will be read within a minute, while the service has visitors or by its job.",
    };
  },
};

/** A loss for `--json`. */
export function toLossJson({ acceptedUntil, digest: _digest, ...facts }: RefusedLoss) {
  return { ...facts, acceptedUntil: toIso(acceptedUntil) };
}

/** A loss as text. */
function renderLoss(loss: RefusedLoss): string {
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

/** The tool. */
export const tool: Tool = {
  name: "events",
  summary:
    "Events: a read of the record store now, or one that was refused because it would lose most of them.",
  commands: { read, loss, accept },
};

if (import.meta.main) await runProcess(tool);
