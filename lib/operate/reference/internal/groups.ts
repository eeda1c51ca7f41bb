/** The groups of operations, in the order of the reference. */

import type { Config } from "../../../platform/config/config.ts";
import { toUsd } from "../../../platform/money.ts";
import { grouped } from "../../../platform/text.ts";
import { RATE_WINDOW_SECONDS } from "../../../accounts/account.ts";

/** The name of a group. */
export type GroupName = keyof ReturnType<typeof describeGroups>;

/** The text of each group, for a service with this configuration. */
export function describeGroups(config: Config) {
  const limits = `A request body has at most ${grouped(config.MAX_BODY_BYTES)} bytes. An account ` +
    `may send ${grouped(config.RATE_LIMIT_REQUESTS)} requests in ` +
    `${grouped(RATE_WINDOW_SECONDS)} seconds, and spend ` +
    `${toUsd(config.DAILY_LIMIT_USD)} USD a day unless its operator has set another limit.`;
  return {
    "Events": "Public and read-only. Responses are at most 5 minutes old.",
    "Calendars and feeds":
      "Public, and chosen by the filters of the list. To be read again at most once an hour.",
    "Pictures": "Images of events at addresses that do not expire. Any event's id is good.",
    "Web search": `Each request is charged the costDollars.total of its response. ${limits}`,
    "Decisions": `Each request is charged by the usage.input_tokens of its response. ${limits}`,
    "Models": "Models of the chat provider. No key is needed.",
    "Account and health": "The caller's usage, and the health of the service.",
    "Documents": "Descriptions of the API, and its versioning policy.",
  };
}
