/**
 * Settings that are allowed and probably not meant: variables that contradict each other or have no effect,
 * names that are not ours, and what will be needed later. A start and `doctor` say it.
 */

import type { z } from "zod";
import { nearestName } from "../nearest.ts";
import { isLocal } from "./values.ts";
import { variableOf, VARIABLES } from "./variables.ts";

/** A configuration without mistakes. */
type Valid =
  & Readonly<
    z.output<z.ZodObject<{ [N in keyof typeof VARIABLES]: typeof VARIABLES[N]["schema"] }>>
  >
  & { readonly BASE_URL: string };

/** The variables that are set, by their names. */
export type Values = Readonly<Record<string, string>>;

/** The variables that container platforms set for a service which is called like a part of ours. */
const OF_A_CONTAINER = /_(?:HOST|PORT)(?:_|$)/;

/** A name that is not ours, with the nearest of ours. */
interface Misnamed {
  readonly name: string;
  readonly nearest: string;
  /** How many letters differ. */
  readonly edits: number;
}

/** The variables that are set, begin with the first word of several of ours, and are none of ours. */
export function findMisnamed(set: Values): Misnamed[] {
  const ours = Object.keys(VARIABLES);
  const families = [...Map.groupBy(ours, (name) => name.slice(0, name.indexOf("_") + 1))]
    .filter(([prefix, { length }]) => prefix !== "" && length > 1);
  return Object.keys(set).flatMap((name) => {
    const upper = name.toUpperCase();
    if (ours.includes(name) || !/^\w+$/.test(name) || OF_A_CONTAINER.test(upper)) return [];
    const [, family = []] = families.find(([prefix]) => upper.startsWith(prefix)) ?? [];
    const nearest = nearestName(upper, family);
    return nearest === null ? [] : [{ name, nearest: nearest.name, edits: nearest.edits }];
  });
}

/** The sentence about a name that is not ours. */
export function describeMisnamed({ name, nearest }: Misnamed): string {
  return `${name}: no such variable; the nearest is ${nearest}: ${variableOf(nearest)?.about}`;
}

/** The doubts about a valid configuration, one sentence each, which begins with the variable. No value is shown. */
export function findDoubts(
  config: Valid,
  set: Values,
): string[] {
  const has = (name: keyof typeof VARIABLES) => set[name] !== undefined;
  const doubts = [
    ...doubtsAboutEvents(config, has),
    ...config.SIGN_IN_ISSUER === undefined ? [] : doubtsAboutSignIn(config, config.SIGN_IN_ISSUER),
    ...findMisnamed(set).map(describeMisnamed),
  ];
  const { SERVICE_DAILY_LIMIT_USD: all, DAILY_LIMIT_USD: each } = config;
  if (all !== undefined && all < each) {
    doubts.push(
      "SERVICE_DAILY_LIMIT_USD: is lower than DAILY_LIMIT_USD, so one member can use up the limit of all",
    );
  }
  if (has("MEDIA_API_KEY") && !has("MEDIA_API_URL")) {
    doubts.push("MEDIA_API_KEY: has no effect without MEDIA_API_URL");
  }
  const isRemote = /^https?:/.test(config.KV_PATH ?? "");
  if (isRemote !== has("DENO_KV_ACCESS_TOKEN")) {
    doubts.push(
      isRemote
        ? "DENO_KV_ACCESS_TOKEN: is not set, and the KV Connect server of KV_PATH asks for it"
        : "DENO_KV_ACCESS_TOKEN: has no effect, because KV_PATH is not the address of a KV Connect server",
    );
  }
  return doubts;
}

function doubtsAboutEvents(
  config: Valid,
  has: (name: keyof typeof VARIABLES) => boolean,
): string[] {
  const isTable = has("AIRTABLE_TOKEN") && has("AIRTABLE_BASE_ID");
  if (has("EVENTS_FILE")) {
    return isTable
      ? ["EVENTS_FILE: events are read from it, and not from AIRTABLE_BASE_ID; unset one of them"]
      : [];
  }
  // Without both, a start says it; `doctor` may run where neither is set.
  if (!has("AIRTABLE_TOKEN") && !has("AIRTABLE_BASE_ID")) return [];
  if (!has("AIRTABLE_BASE_ID")) {
    return [
      'AIRTABLE_BASE_ID: is missing beside AIRTABLE_TOKEN: the part of the base\'s address that begins with "app"',
    ];
  }
  if (!has("AIRTABLE_TOKEN")) {
    return [
      "AIRTABLE_TOKEN: is missing beside AIRTABLE_BASE_ID: a personal access token with the scope data.records:read",
    ];
  }
  const isNotified = config.AIRTABLE_NOTIFICATIONS === "on";
  return isNotified && isLocal(config.BASE_URL) && !isLocal(config.AIRTABLE_API_URL)
    ? [
      "AIRTABLE_NOTIFICATIONS: Airtable cannot reach this machine by the BASE_URL; set the public address there",
    ]
    : [];
}

function doubtsAboutSignIn(config: Valid, issuer: string): string[] {
  const doubts: string[] = [];
  for (const name of ["SIGN_IN_ADMIT", "SIGN_IN_VERIFIED", "SIGN_IN_OPERATORS"] as const) {
    const isTested = config[name]?.tested.some((claim) => /^email(?:_verified)?$/.test(claim));
    if (isTested && !config.SIGN_IN_SCOPES.split(/\s+/).includes("email")) {
      doubts.push(
        `${name}: tests the e-mail address, which most providers state only for the scope email: ` +
          "add it to SIGN_IN_SCOPES",
      );
    }
  }
  if (isGoogle(issuer) && config.SIGN_IN_PASSWORD_PROOF === "on") {
    doubts.push(
      "SIGN_IN_PASSWORD_PROOF: Google cannot prove that it has just asked for a password, so members cannot " +
        'delete their accounts, and operators can change nothing at the desk; "off" lets a new sign-in be enough',
    );
  }
  return doubts;
}

/** The issuer of Google, for all of its customers. */
function isGoogle(issuer: string): boolean {
  return new URL(issuer).hostname === "accounts.google.com";
}
