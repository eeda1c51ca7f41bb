/** The groups of operations, in the order of the reference. */

import type { Config } from "../config.ts";
import { toUsd } from "../money.ts";

/** The configuration that the groups' texts state. */
export type Limits = Pick<
  Config,
  "DAILY_LIMIT_USD" | "RATE_LIMIT_REQUESTS" | "RATE_LIMIT_WINDOW_SECONDS" | "MAX_BODY_BYTES"
>;

/** Each group's text. */
const ABOUT = {
  "Events": () => "Public and read-only. Responses are at most 5 minutes old.",
  "Web search": (limits: Limits) =>
    `Each request is charged the costDollars.total of its response. ${limitsText(limits)}`,
  "Decisions": (limits: Limits) =>
    `Each request is charged by the usage.input_tokens of its response. ${limitsText(limits)}`,
  "Models": () => "Models of the chat provider. No key is needed.",
  "Account and health": () => "The caller's usage, and the health of the service.",
  "Documents": () => "Descriptions of the API, and its versioning policy.",
} as const;

/** The name of a group. */
export type GroupName = keyof typeof ABOUT;

/** Every group with its text for a service with these limits. */
export function describeGroups(limits: Limits): { name: string; description: string }[] {
  return Object.entries(ABOUT).map(([name, about]) => ({ name, description: about(limits) }));
}

function limitsText(limits: Limits): string {
  const whole = (value: number) => value.toLocaleString("en");
  return `A request body has at most ${whole(limits.MAX_BODY_BYTES)} bytes. An account may send ` +
    `${whole(limits.RATE_LIMIT_REQUESTS)} requests in ` +
    `${whole(limits.RATE_LIMIT_WINDOW_SECONDS)} seconds, and spend ` +
    `${toUsd(limits.DAILY_LIMIT_USD)} USD a day unless its operator has set another limit.`;
}
