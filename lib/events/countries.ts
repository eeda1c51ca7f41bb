/** The names of countries, as people end the text of a place with them. */

import { fold, spellings } from "../platform/fold.ts";

/** The languages in which a country is known by its name. */
const LANGUAGES = [
  ..."en de fr es pt it nl ca sv da nb fi et lv lt pl cs sk sl hr hu ro bg tr el uk ru".split(" "),
  ..."ar he fa hi ja ko zh zh-Hant".split(" "),
];
/** Names that are no countries: unions, and placeholders of Unicode. */
const NO_COUNTRIES = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"]);
/** Names that people know as towns or persons, and that are a country in another language only. */
const OTHER_NAMES = new Set(["granada", "man", "maurice", "tunis"]);
/** Names in use that Unicode does not list. */
const ALIASES: Readonly<Record<string, string>> = {
  US: "USA, US, United States of America, America",
  GB: "UK, Great Britain, Britain",
  AE: "UAE, Emirates",
  BA: "Bosnia",
  CD: "DR Congo, Democratic Republic of the Congo",
  CG: "Congo, Republic of the Congo",
  CI: "Ivory Coast",
  CN: "PR China, People's Republic of China",
  CV: "Cabo Verde",
  CZ: "Czech Republic",
  IE: "Eire, Republic of Ireland",
  KR: "Korea, Republic of Korea",
  MK: "Macedonia",
  NL: "Holland",
  RU: "Russian Federation",
  SZ: "Swaziland",
  TR: "Turkey",
  VN: "Viet Nam",
};
/** Parts of the United Kingdom, folded, after which its name is rarely written. */
export const NATIONS = new Set(["england", "scotland", "wales", "northern ireland"]);
/** Codes of states of the USA that are also codes of countries: "San Francisco, CA" is not in Canada. */
const STATES = new Set(
  ("AL AR AZ CA CO DE GA ID IL IN KY LA MA MD ME MN MO MS MT NC NE PA SC SD TN VA").split(" "),
);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const english = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** The codes of ISO 3166-1, without those that were replaced. */
const CODES: readonly string[] = [...ALPHABET].flatMap((a) => [...ALPHABET].map((b) => a + b))
  .filter((code) =>
    english.of(code) !== undefined && !NO_COUNTRIES.has(code) &&
    new Intl.Locale(`und-${code}`).region === code
  );
const IS_CODE = new Set(CODES);

let known: ReadonlyMap<string, string> | undefined;

/** The code of each name, made when it is first needed: it takes a tenth of a second. */
function codesByName(): ReadonlyMap<string, string> {
  if (known !== undefined) return known;
  const codes = new Map<string, string>();
  const add = (name: string, code: string) => {
    // "Myanmar (Burma)" is either, and "Bosnia & Herzegovina" is also written with "and".
    for (const one of [name, ...name.split(/[()]/), name.replaceAll("&", "and")]) {
      const folded = fold(one);
      if (folded !== "" && !codes.has(folded)) codes.set(folded, code);
    }
  };
  for (const [code, names] of Object.entries(ALIASES)) {
    for (const name of names.split(", ")) add(name, code);
  }
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of CODES) {
      const name = names.of(code);
      if (name !== undefined && !OTHER_NAMES.has(fold(name))) add(name, code);
    }
  }
  return known = codes;
}

/** The country (ISO 3166-1) that a text is the name of, in any of some languages; null if there is none. */
export function countryNamed(text: string): string | null {
  const codes = codesByName();
  for (const spelling of spellings(text)) {
    const code = codes.get(spelling) ?? codes.get(spelling.replace(/^the /, ""));
    if (code !== undefined) return code;
  }
  return null;
}

/** The country of a code in capitals: "DE", "UK". */
export function countryOfCode(text: string): string | null {
  if (text === "UK") return "GB";
  return IS_CODE.has(text) ? text : null;
}

/**
 * The country that the last part of a place names. A code that is also that of a state counts in brackets only.
 */
export function countryOfPart(text: string, isInBrackets: boolean): string | null {
  const named = countryNamed(text) ?? (NATIONS.has(fold(text)) ? "GB" : null);
  if (named !== null) return named;
  return STATES.has(text) && !isInBrackets ? null : countryOfCode(text);
}

/** The English name of a country. */
export function nameOfCountry(code: string): string {
  return english.of(code) ?? code;
}
