/** Who runs a command and why, for the record of changes. */

import type { Origin } from "../lib/proxy/mod.ts";
import { isPrintable } from "../lib/platform/text.ts";
import { type Given, Mistake, type Workplace } from "./tool.ts";

const MAX_REASON_LENGTH = 500;

/** The option of each command that changes an account or key. */
export const WHY = { "why TEXT": "the reason, for the record of changes" } as const;

/**
 * The origin of what a command changes.
 *
 * @throws {Mistake} for a reason that is too long, or that cannot be printed.
 */
export function originOf(given: Given, { now, user }: Workplace): Origin {
  const why = given.option("why");
  if (why !== null && [...why].length > MAX_REASON_LENGTH) {
    throw new Mistake(`--why has more than ${MAX_REASON_LENGTH} characters; give a shorter reason`);
  }
  if (why !== null && !isPrintable(why)) {
    throw new Mistake("--why has a character that cannot be printed; give a plain sentence");
  }
  return { at: now(), by: { command: given.call, user: user ?? null }, why };
}
