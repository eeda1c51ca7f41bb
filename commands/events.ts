/** `foyer events`: asks for a read of the record store, and settles one that was refused because it would lose most events. */

import type { Command } from "commander";
import { storeNotification } from "../lib/events/keeping/freshness.ts";
import { lossInWords, remedyInWords } from "../lib/events/reading/loss.ts";
import { readFailure, type RefusedLoss } from "../lib/events/keeping/failure.ts";
import { acceptColumns, acceptRefusedLoss } from "../lib/operate/accept_loss.ts";
import {
  type Act,
  Mistake,
  originOf,
  type Place,
  type Result,
  subcommand,
  WHY,
  type Why,
} from "./frame.ts";
import { formatMoment, table } from "./values.ts";

/** Adds the subcommands. */
export function addEvents(foyer: Command, act: Act): void {
  const events = foyer.command("events")
    .description(
      "A read of the events now, or one that was refused because it would lose most of them",
    );
  subcommand(events, "read", "Ask the service on this database to read the record store soon", [
    "read  # the site shows an edit within seconds, while it has visitors",
  ]).action(act(read));
  subcommand(events, "loss", "Show the events that the last read would have lost", [
    "loss  # how many, why, and some of their names",
    "loss --json | jq .  # null if no read was refused",
  ]).action(act(loss));
  subcommand(
    events,
    "accept",
    "Accept the loss for which the last read was refused, for an hour, or that of a column",
    ["accept  # after a look at `loss`, for example if old events were removed on purpose"],
  ).option(...WHY).action(act(accept));
}

async function read({ kv, now }: Place): Promise<Result> {
  const at = now();
  await storeNotification(kv, at);
  return {
    json: { askedAt: at },
    text: "The events will be read within a minute, while the service has visitors or by its job.",
  };
}

async function loss({ kv }: Place): Promise<Result> {
  const { loss = null } = await readFailure(kv) ?? {};
  return {
    json: loss && toLossJson(loss),
    text: loss === null ? "No read was refused for losing events." : renderLoss(loss),
  };
}

async function accept(place: Place, options: Why): Promise<Result> {
  const accepted = await acceptRefusedLoss(place.kv, null, originOf(place, options));
  if (accepted === null) {
    const lost = await acceptColumns(place.kv, null, originOf(place, options));
    if (lost.length === 0) {
      throw new Mistake("no loss is to be accepted; see `deno task status`", 1);
    }
    const columns = lost.map(({ column }) => column);
    return {
      json: { columns },
      text: `Accepted: the next read begins without ${columns.join(", ")}.`,
    };
  }
  return {
    json: toLossJson(accepted),
    text: `${renderLoss(accepted)}\nThe next read, within about a minute, will succeed.`,
  };
}

function toLossJson({ digest: _digest, ...loss }: RefusedLoss) {
  return loss;
}

function renderLoss(loss: RefusedLoss): string {
  const { gone, leftOut, endless, examples, acceptedUntil } = loss;
  const more = gone + leftOut + endless - examples.length;
  return [
    `${lossInWords(loss)}.`,
    table(examples.map(({ id, name }) => [id, name])),
    ...(more > 0 ? [`and ${more} more`] : []),
    acceptedUntil === null
      ? `${remedyInWords(loss)}. If the loss is intended, run: deno task events accept`
      : `Accepted until ${formatMoment(acceptedUntil)}.`,
  ].join("\n");
}
