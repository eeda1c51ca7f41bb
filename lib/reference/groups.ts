/** The groups of operations, in the order of the reference. */

import type { Config } from "../config.ts";
import { toUsd } from "../money.ts";

/** What the groups' texts tell of a service. */
export type Limits = Pick<
  Config,
  "DAILY_LIMIT_USD" | "RATE_LIMIT_REQUESTS" | "RATE_LIMIT_WINDOW_SECONDS" | "MAX_BODY_BYTES"
>;

/** What each group is about, by its name. */
const ABOUT = {
  "Events": () => "Public and read-only. What is answered is at most 5 minutes old.",
  "Web search": (limits: Limits) =>
    `Charged by the answer's costDollars.total. ${limitsText(limits)}`,
  "Decisions": (limits: Limits) =>
    `Charged by the answer's usage.input_tokens. ${limitsText(limits)}`,
  "Models": () => "Lists of the models that the chat provider has. No key.",
  "Account and health": () => "Where a caller and the service stand.",
  "Documents": () => "What describes the API.",
} as const;

/** The name of a group. */
export type GroupName = keyof typeof ABOUT;

/** Every group with what it is about in a service of these limits. */
export function describeGroups(limits: Limits): { name: string; description: string }[] {
  return Object.entries(ABOUT).map(([name, about]) => ({ name, description: about(limits) }));
}

function limitsText(limits: Limits): string {
  const whole = (value: number) => value.toLocaleString("en");
  const window = `${whole(limits.RATE_LIMIT_REQUESTS)} requests in ` +
    `${whole(limits.RATE_LIMIT_WINDOW_SECONDS)} seconds`;
  return `A body has at most ${whole(limits.MAX_BODY_BYTES)} bytes. An account has ` +
    `${window}, and ${toUsd(limits.DAILY_LIMIT_USD)} USD a day unless its operator says otherwise.`;
}
