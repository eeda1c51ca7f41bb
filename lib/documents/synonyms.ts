/** Words that readers type, and the words that the documents use instead. */

const SYNONYMS: readonly (readonly [typed: string, used: readonly string[]])[] = [
  ["category topic tag", ["projectTypes", "projectType"]],
  ["filter", ["projectType"]],
  ["games", ["Gamedev"]],
  ["when", ["startDate", "endDate"]],
  ["where venue city", ["location"]],
  ["search", ["websearch"]],
  ["exa", ["web search"]],
  ["llm", ["decision", "models"]],
  ["token password secret login", ["API key"]],
  ["auth", ["Authorization", "API key"]],
  ["price", ["charged", "costs"]],
  ["money", ["spending", "charged"]],
  ["budget", ["daily limit", "spending"]],
  ["quota", ["daily limit", "rate limit"]],
  ["throttle", ["rate limit"]],
  ["ical webcal", ["calendar"]],
  ["subscribe", ["feed", "calendar"]],
  ["newsletter", ["feed"]],
  ["picture photo", ["image"]],
  ["color", ["colour"]],
  ["design", ["styling", "theme"]],
  ["install", ["deploy", "configuration"]],
  ["setup", ["configuration", "first hour"]],
  ["host", ["deploy", "machine"]],
  ["monitoring", ["metrics", "watch"]],
  ["outage", ["fails"]],
  ["pagination", ["limit", "cursor"]],
  ["changelog", ["versioning"]],
  ["breaking", ["new version"]],
];
/** A shorter beginning would match too many words. */
const MIN_LENGTH = 3;

/**
 * The synonyms of a word in lower case, or of the words that it begins, since a search may end within a word.
 */
export function synonymsOf(word: string): readonly string[] {
  if (word.length < MIN_LENGTH) return [];
  const singular = word.replace(/(?:ies|s)$/, (end) => end === "ies" ? "y" : "");
  const isMeant = (typed: string) => typed.startsWith(word) || typed === singular;
  return SYNONYMS.filter(([typed]) => typed.split(" ").some(isMeant))
    .flatMap(([, used]) => used.map((each) => each.toLowerCase()));
}
