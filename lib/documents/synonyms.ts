/** Words that readers type, and the words that the documents use instead. */

const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  category: ["projectTypes", "projectType"],
  topic: ["projectTypes", "projectType"],
  tag: ["projectTypes", "projectType"],
  filter: ["projectType"],
  games: ["Gamedev"],
  when: ["startDate", "endDate"],
  where: ["location"],
  venue: ["location"],
  city: ["location"],
  search: ["websearch"],
  exa: ["web search"],
  llm: ["decision", "models"],
  token: ["API key"],
  password: ["API key"],
  secret: ["API key"],
  login: ["API key"],
  auth: ["Authorization", "API key"],
  price: ["charged", "costs"],
  money: ["spending", "charged"],
  budget: ["daily limit", "spending"],
  quota: ["daily limit", "rate limit"],
  throttle: ["rate limit"],
  ical: ["calendar"],
  webcal: ["calendar"],
  subscribe: ["feed", "calendar"],
  newsletter: ["feed"],
  picture: ["image"],
  photo: ["image"],
  color: ["colour"],
  design: ["styling", "theme"],
  install: ["deploy", "configuration"],
  setup: ["configuration", "first hour"],
  host: ["deploy", "machine"],
  monitoring: ["metrics", "watch"],
  outage: ["fails"],
  pagination: ["limit", "cursor"],
  changelog: ["versioning"],
  breaking: ["new version"],
};
/** A shorter beginning would match too many words. */
const MIN_LENGTH = 3;

const entries = Object.entries(SYNONYMS).map(([word, others]) =>
  [word, others.map((other) => other.toLowerCase())] as const
);

/**
 * The synonyms of a word in lower case, or of the words that it begins, since a search may end within a word.
 */
export function synonymsOf(word: string): readonly string[] {
  if (word.length < MIN_LENGTH) return [];
  const singular = word.replace(/(?:ies|s)$/, (end) => end === "ies" ? "y" : "");
  return entries.flatMap(([each, others]) =>
    each.startsWith(word) || each === singular ? others : []
  );
}
