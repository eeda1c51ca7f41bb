// Words of a text, as far as the stand-ins understand any: enough to find and to weigh, and the same every time.

const COMMON = new Set(
  ("the and for are was were with that this from have has had not but its into than then them they their there " +
    "what which who how why when where does did can could will would you your our his her him she about also only " +
    "all any one some such more most very how much many over under out off per is it of to in on at by an as be or a")
    .split(" "),
);

/** The words that carry meaning, in order: lower case, without a plural's s. */
export function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word))
    .map((word) => word.length > 3 ? word.replace(/(?<=o|x|ch|sh)es$|s$/, "") : word);
}

/** The part of the weight of `wanted` that is found among `words`, from 0 to 1; 0 if nothing is wanted. */
export function overlap(wanted: ReadonlyMap<string, number>, words: ReadonlySet<string>): number {
  let [found, total] = [0, 0];
  for (const [word, weight] of wanted) {
    total += weight;
    if (words.has(word)) found += weight;
  }
  return total === 0 ? 0 : found / total;
}

/** A text in sentences, each with its full stop. */
export function sentencesOf(text: string): string[] {
  return text.match(/[^.!?]+[.!?]+/g)?.map((sentence) => sentence.trim()) ?? [text];
}
