/** Finds the variables of an environment that nothing reads, and the names that are probably meant. */

import { nearestName } from "../nearest.ts";

/** A variable that nothing reads. */
export interface StrayName {
  readonly name: string;
  /** The variable that is probably meant. */
  readonly meant: string;
  /** Whether it is almost certainly a typo, and not another program's variable. */
  readonly isTypo: boolean;
}

/** A name at a greater distance is another word. */
const MAX_DISTANCE = 2;
/** Shorter names are near each other by chance. */
const MIN_TYPO_LENGTH = 6;
/** Prefixes of the platform, although the service reads a variable of each. */
const OF_THE_PLATFORM = new Set(["DENO", "OTEL"]);

/** Other names of the same thing: the brands of providers, keys, addresses. */
const SYNONYMS: Readonly<Record<string, string>> = {
  EXA: "WEBSEARCH",
  TYPESAFE: "DECISION",
  OPENROUTER: "ROUTER",
  MISTRAL: "OCR",
  CLICKHOUSE: "ANALYTICS",
  APIKEY: "KEY",
  PASSWORD: "KEY",
  PAT: "KEY",
  SECRET: "KEY",
  TOKEN: "KEY",
  ENDPOINT: "URL",
  HOST: "URL",
  URI: "URL",
  PROVISIONING: "MANAGEMENT",
  USERNAME: "USER",
};

/** Words that a name may include or omit. */
const FILLERS = new Set(
  ["ACCESS", "API", "BYTES", "DAYS", "ID", "NAME", "PERSONAL", "SECONDS", "SIZE", "USD"],
);

/**
 * Compares the names that are set with the known ones. Other programs set variables too. So a name is a typo only if
 * it shares the first word of a family of known names and is near one of that family that is not set.
 */
export function findStrayNames(set: readonly string[], known: readonly string[]): StrayName[] {
  const isSet = new Set(set);
  const unset = known.filter((name) => !isSet.has(name));
  const families = familiesOf(known);
  return set.filter((name) => !known.includes(name) && /^\w+$/.test(name)).flatMap((name) => {
    const [first = ""] = name.split("_");
    const relatives = families.get(first) ?? [];
    const sibling = nearestOf(name, relatives, () => MAX_DISTANCE);
    if (sibling !== null && name.length >= MIN_TYPO_LENGTH) {
      return [{ name, meant: sibling, isTypo: !isSet.has(sibling) }];
    }
    const upper = name.toUpperCase();
    const meant = nearestOf(upper, unset, distanceAllowed) ?? sameWords(upper, unset);
    return meant === null ? [] : [{ name, meant, isTypo: false }];
  });
}

/** The known names by their first word, where several share it. */
function familiesOf(known: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byFirst = Map.groupBy(known, (name) => name.split("_", 1)[0] ?? "");
  return new Map(
    [...byFirst].filter(([first, names]) => names.length > 1 && !OF_THE_PLATFORM.has(first)),
  );
}

function nearestOf(
  name: string,
  known: readonly string[],
  allowed: (known: string) => number,
): string | null {
  const nearest = nearestName(name, known);
  return nearest !== null && nearest.edits <= allowed(nearest.name) ? nearest.name : null;
}

/** One letter in four: PGHOST is not HOST. */
function distanceAllowed({ length }: string): number {
  return Math.min(MAX_DISTANCE, Math.floor(length / 4));
}

/** The known name with the same words, and the same first word. */
function sameWords(name: string, known: readonly string[]): string | null {
  const words = wordsOf(name);
  if (words.length < 2) return null;
  const isSame = (other: readonly string[]) =>
    other[0] === words[0] && new Set([...words, ...other]).size === other.length &&
    words.length === other.length;
  return known.find((each) => isSame(wordsOf(each))) ?? null;
}

function wordsOf(name: string): readonly string[] {
  const words = name.split("_").map((word) => SYNONYMS[word] ?? word);
  return [...new Set(words.filter((word, at) => at === 0 || !FILLERS.has(word)))];
}
