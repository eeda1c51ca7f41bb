/**
 * Texts as people compare them. One folding serves search, filters, places and suggestions; slugs keep their own,
 * because they are ASCII.
 */

import anyAscii from "any-ascii";

/** Signs beyond ASCII, with the letter whose accents they may be. The rest of a text, which is long, is left alone. */
const BEYOND_ASCII = /[\0-\x7f]?[^\0-\x7f]+/g;
/** Soft hyphens, signs without width or of direction, variation selectors, and the line that lengthens Arabic words. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;
/** Marks that are no letters: accents, and the vowels of Arabic and Hebrew. In other scripts a mark is a letter. */
const MARKS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu;
/** Latin letters that no mark makes, such as `ß` and `ł`, and the digits of all scripts. */
const LETTERS = /(?![\0-\x7f])[\p{Script=Latin}\p{Nd}]/gu;
/** Letters that keyboards and habits confuse, as Lucene's normalizers of these languages have them. */
const ALIKE: Readonly<Record<string, string>> = {
  "ς": "σ",
  "ґ": "г",
  "ٱ": "ا",
  "ى": "ي",
  "ی": "ي",
  "ے": "ي",
  "ک": "ك",
  "ة": "ه",
  "ہ": "ه",
};
const ALIKE_LETTERS = new RegExp(`[${Object.keys(ALIKE).join("")}]`, "g");
/** Quotes and apostrophes of all kinds: "women’s" is "womens", and `צה״ל` is `צהל`. */
const QUOTES = /['"`\u2032\u201a\u201e\u02b9-\u02bd\u02c8\u05f3\u05f4\p{Pi}\p{Pf}]/gu;
/** Spaces, dashes, hyphens and the minus sign: "game-jam" is "game jam". Most gaps are a single space, and stay. */
const GAPS = /[\s\p{Pd}\u2212]{2,}|[^\S ]|[\p{Pd}\u2212]/gu;

/**
 * A text without regard to case, accents, typography and width: "Łódź’s Game‑Jam" is "lodzs game jam". A mark that is
 * a letter stays: `バス` is not `ハス`. The same text folded again is the same.
 */
export function fold(text: string): string {
  return text.toLowerCase().replace(BEYOND_ASCII, foldLetters)
    .replace(QUOTES, "").replace(GAPS, " ").trim();
}

function foldLetters(text: string): string {
  // NFKD would make a space and a mark of the accent that many type for an apostrophe.
  return text.replaceAll("\u00b4", "'").normalize("NFKD").toLowerCase()
    .replace(INVISIBLE, "")
    .replace(MARKS, "$1")
    .replace(LETTERS, (letter) => anyAscii(letter).toLowerCase())
    .replace(ALIKE_LETTERS, (letter) => ALIKE[letter] ?? letter)
    .normalize("NFC");
}

/** The spellings of German, the Nordic languages and Serbian where a keyboard lacks the letter. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  "ä": "ae",
  "ö": "oe",
  "ü": "ue",
  "ø": "oe",
  "å": "aa",
  "đ": "dj",
};
const WRITTEN_OUT_LETTERS = new RegExp(`[${Object.keys(WRITTEN_OUT).join("")}]`, "g");
/** Hyphens within words, and the full stops of abbreviations. */
const JOINTS = /(?<=[\p{L}\p{M}])[-\u2010\u2011](?=\p{L})|(?<=[\p{L}\p{M}])\.(?=[\p{L}\s]|$)/gu;

/**
 * The spellings of a name or a word, folded, that readers take for one: the usual one first. "München" is also
 * "muenchen", "co-working" is "coworking", "U.S.A." is "usa". Two texts mean the same if they share a spelling.
 */
export function spellings(text: string): readonly string[] {
  const written = text.normalize("NFC").toLowerCase()
    .replace(WRITTEN_OUT_LETTERS, (letter) => WRITTEN_OUT[letter] ?? letter);
  return [
    ...new Set([text, written].flatMap((each) => [fold(each), fold(each.replace(JOINTS, ""))])),
  ];
}

/** A word that has other spellings. */
const HAS_OTHERS = new RegExp(
  `[${Object.keys(WRITTEN_OUT).join("")}]|[\\p{L}\\p{M}][-\u2010\u2011.]\\p{L}`,
  "iu",
);

/** A text as a search looks into it: folded, with the other spellings of its words after it. */
export function searchable(text: string): string {
  const composed = text.normalize("NFC");
  const words = new Set(composed.split(/\s+/).filter((word) => HAS_OTHERS.test(word)));
  const others = [...words].flatMap((word) => spellings(word).slice(1));
  return [fold(composed), ...others].join("\n");
}
