/** `deno task events`: what became of a read that would have lost most events. */

import { acceptLoss, readFailure } from "../lib/events/mod.ts";
import { renderLoss, toLossJson } from "./loss_view.ts";
import { Mistake } from "./mistake.ts";
import { runProcess } from "./process.ts";
import type { Command, Tool } from "./tool.ts";

const loss: Command = {
  summary: "Says which events the last read would have lost, so that it was refused.",
  parameters: [],
  options: {},
  examples: [
    ["loss", "how many, why, and some of them by name"],
    ["loss --json | jq .", "null if no read was refused"],
  ],
  async run(_given, { kv }) {
    const { loss = null } = await readFailure(kv) ?? {};
    return {
      json: loss && toLossJson(loss),
      text: loss === null ? "No read was refused for what it would lose." : renderLoss(loss),
    };
  },
};

const accept: Command = {
  summary:
    "Accepts the loss for which the last read was refused: the next read takes it over. Holds for " +
    "an hour, and for the loss of just those events.",
  parameters: [],
  options: {},
  examples: [["accept", "after a look at `loss`, such as when old events were meant to go"]],
  async run(_given, { kv, now }) {
    const accepted = await acceptLoss(kv, now());
    if (accepted === null) {
      throw new Mistake("no read was refused for what it would lose; see `deno task status`", 1);
    }
    return {
      json: toLossJson(accepted),
      text: `${renderLoss(accepted)}\nThe next read takes it over, within about a minute.`,
    };
  },
};

/** The tool. */
export const tool: Tool = {
  name: "events",
  summary: "Events: a read of the record store that was refused, since it would lose most of them.",
  commands: { loss, accept },
};

if (import.meta.main) await runProcess(tool);
