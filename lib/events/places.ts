/**
 * Places, as people write them: "Berlin", "Porto, Portugal", "Room 5, 12 High Street, London, UK". A place is the text of
 * one event alone; nothing is looked up elsewhere, so that a filter chooses an event whatever the others are.
 */

import { fold, spellings } from "../platform/fold.ts";
import { memoize } from "../platform/memoize.ts";
import { nearbyName } from "../platform/nearest.ts";
import { quoted } from "../platform/text.ts";
import { countryNamed, countryOfCode, countryOfPart, nameOfCountry, NATIONS } from "./countries.ts";
import type { Facets } from "./keeping/history.ts";
import type { StoredEvent } from "./model.ts";
import { compare } from "./values.ts";

interface Place {
  /** The keys that filters compare: every spelling of every part, and the country as `@DE`. */
  readonly keys: ReadonlySet<string>;
  /** The part that is probably the town, as it is written; null if the text names a country alone. */
  readonly town: string | null;
  /** The country's code, if the text names it. */
  readonly country: string | null;
}

interface PlacePart {
  readonly text: string;
  readonly isInBrackets: boolean;
}

const ADDRESS = /\b(?:https?:\/\/|www\.)\S+/gi;
/** Commas of several scripts, line breaks, dashes and slashes between words, and what introduces more. */
const SEPARATOR =
  /[,;|\n\r\t·•、，،؛]|\s(?:[-–—]+|\/)\s|(?<=[\p{L}\p{M}]{3})\/(?=\p{L}{2})|:\s|([(\[][^()[\]]*[)\]])/u;
/** "Porto, and online": the rest is the place. */
const AND_ONLINE =
  /\s*(?:[&+]|\band\b|\bor\b|\bund\b)\s*(?:online|virtual(?:ly)?|remote(?:ly)?|hybrid)\.?$/i;
const ONLINE_AND = /^(?:online|virtual|remote|hybrid)\s*(?:[&+]|\band\b|\bor\b|\bund\b)\s*/i;

/** The words that people write where there is no place, folded. */
const NOWHERE = new RegExp(
  `^(?:${
    [
      // Online.
      "(?:(?:via|on|over|in|fully|only|100%) )*(?:online|on line|virtual|virtually|remote|remotely|digital|" +
      "internet|web|website|zoom|google meet|teams|microsoft teams|ms teams|discord|twitch|youtube|" +
      "slack|jitsi|webex|skype|webinar|live ?stream|stream|hybrid|metaverse|en ligne|en linea|enligne)" +
      "(?: (?:only|event|meeting|call|link|room|server|channel|session|webinar|conference|stream))*",
      "(?:venue|location|place|address|room|where|ort|lieu|lugar)s?",
      "in person|worldwide|global|globally|everywhere|anywhere|at home|from home|your home|home",
      // Not known yet.
      "(?:(?:exact )?(?:venue|location|place|address|room|city|town|details?|ort|lieu|lugar)s?" +
      "(?: is| are| will be)? )?(?:still )?(?:t\\.?b\\.?[acd]\\.?|" +
      "to be (?:announced|determined|confirmed|decided|defined)|announced|coming soon|unknown|" +
      "unspecified|undecided|n/?a|none|null|nil|various|multiple|several|soon|" +
      "wird noch bekannt gegeben|noch offen|offen|folgt|por (?:definir|confirmar|anunciar)|" +
      "a (?:definir|confirmar|definire|confirmer))(?: (?:locations|venues|places|cities|soon|later))?",
    ].join("|")
  })$`,
);

/** Postal codes before a town: "10115 Berlin", "D-10115 Berlin", "110 00 Praha", "1011 AB Amsterdam". */
const CODE_BEFORE =
  /^(?:〒\s*)?(?:[A-Z]{1,3}[-\s])?(?:\d{3}\s\d{2}|\d{2,4}-\d{3,4}|\d{4,6})(?:\s[A-Z]{2}(?=\s))?\s+(?=\D)/;
/** And after it: "London SW1A 1AA", "Toronto M5V 2T6", "Porto 4000-123", "TX 78701". */
const CODE_AFTER =
  /(?:\s[A-Z]{2,3})?\s+(?:[A-Z]{1,2}\d[A-Z\d]?(?:\s\d[A-Z]{2})?|[A-Z]\d[A-Z]\s?\d[A-Z]\d|\d{3}\s\d{2}|\d{2,4}-\d{3,4}|\d{4,6})$/;
const HAS_LETTER = /\p{L}/u;
const HAS_DIGIT = /\p{Nd}/u;
/** "NY", "NSW", "D.C.": a state or a province. */
const STATE_CODE = /^(?:[A-Z]{2,3}|[A-Z]\.[A-Z]\.)$/;

/** States and the like that people write between a town and its country, folded; those that are towns too are left out. */
const REGIONS = new Set(
  ("alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|" +
    "indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|" +
    "montana|nebraska|nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|" +
    "pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|" +
    "west virginia|wisconsin|wyoming|alberta|british columbia|manitoba|new brunswick|newfoundland|nova scotia|" +
    "ontario|quebec|saskatchewan|new south wales|queensland|south australia|tasmania|victoria|western australia|" +
    "bayern|bavaria|hessen|sachsen|saxony|baden wurttemberg|" +
    "nordrhein westfalen|north rhine westphalia|niedersachsen|lower saxony|catalonia|catalunya|cataluna|" +
    "andalucia|karnataka|maharashtra|tamil nadu|telangana|kerala").split("|"),
);

/** Reads the text of a place; null if it names none, as "Online" and "TBA" do. */
export function readPlace(text: string): Place | null {
  const parts = partsOf(text);
  const [first] = parts;
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return null;
  const atEnd = countryOfPart(last.text, last.isInBrackets);
  // "Portugal, Porto"
  const country = atEnd ?? (parts.length > 1 ? countryNamed(first.text) : null);
  const keys = new Set(parts.flatMap(({ text }) => spellingsOf(text)));
  if (country === null) return { keys, town: townOf(parts, false), country };
  keys.add(`@${country}`);
  const isReversed = atEnd === null;
  const rest = parts.filter((part) => part !== (isReversed ? first : last));
  return { keys, town: townOf(rest, isReversed), country };
}

/** The parts of a text that may be names. */
function partsOf(text: string): readonly PlacePart[] {
  return text.replace(ADDRESS, "").split(SEPARATOR)
    .filter((part) => part !== undefined)
    .map((part) => ({
      isInBrackets: /^[(\[]/.test(part),
      text: part.replace(/^[(\[]|[)\]]$/g, "").replace(/\s+/g, " ").trim()
        .replace(AND_ONLINE, "").replace(ONLINE_AND, "").replace(/^(?:and|&|\+)\s+/i, "").trim(),
    }))
    .filter(({ text }) => HAS_LETTER.test(text) && !NOWHERE.test(fold(text)));
}

/** The town of parts without the country, in which the greater follows the smaller unless `isReversed`. */
function townOf(parts: readonly PlacePart[], isReversed: boolean): string | null {
  const names = parts.map(({ text }) => withoutCode(text));
  if (!isReversed) names.reverse();
  const [greatest = "", ...smaller] = names;
  // One state at most: "Washington, DC".
  const isState = STATE_CODE.test(greatest) || REGIONS.has(fold(greatest)) ||
    NATIONS.has(fold(greatest));
  const towns = isState && smaller.length > 0 ? smaller : names;
  return towns.find((name) => !HAS_DIGIT.test(name)) ?? towns[0] ?? null;
}

/** A part without the postal code before it or after it. */
function withoutCode(text: string): string {
  const name = text.replace(CODE_BEFORE, "").replace(CODE_AFTER, "").trim();
  return HAS_LETTER.test(name) ? name : text;
}

/** Every spelling of a part, with its postal code and without. */
function spellingsOf(text: string): readonly string[] {
  return [text, withoutCode(text)].flatMap(spellings);
}

/** An event with the text of its place. That of an event that is gone is known from its history. */
export type Placed = Partial<Pick<StoredEvent, "inPerson"> & Pick<Facets, "location">>;

/** The place of each event; null without one. */
export const placeOfEvent = memoize(({ inPerson, location }: Placed): Place | null => {
  const text = inPerson?.location ?? location ?? null;
  return text === null ? null : readPlace(text);
});

/** The place where people meet, as it is written; null without one, as for "Online" or "to be announced". */
export function venueOf(event: Pick<StoredEvent, "format" | "inPerson">): string | null {
  const text = event.inPerson?.location ?? null;
  return event.format === "online" || placeOfEvent(event) === null ? null : text;
}

/** Makes the function that says whether an event is at one of some places, each of which is a text of a place. */
export function placeMatcherOf(places: readonly string[]): (event: Placed) => boolean {
  const asked = places.map(keysOfAsked);
  return (event) => {
    const keys = placeOfEvent(event)?.keys;
    return keys !== undefined &&
      asked.some((parts) =>
        parts.length > 0 && parts.every((part) => part.some((key) => keys.has(key)))
      );
  };
}

/** For each part of a place that is asked for, the keys of which an event must have one. */
function keysOfAsked(text: string): readonly (readonly string[])[] {
  return partsOf(text).map(keysOfPart);
}

function keysOfPart({ text }: PlacePart): readonly string[] {
  const country = countryNamed(text) ?? countryOfCode(text.toUpperCase());
  return [...spellingsOf(text), ...country === null ? [] : [`@${country}`]];
}

/** Whether two texts of places are the same text, however it is spelled. */
export function isSamePlace(one: string, other: string): boolean {
  const known = spellings(other);
  return spellings(one).some((spelling) => known.includes(spelling));
}

/** The names that events have for their places. */
interface PlaceNames {
  /** The keys that filters compare. */
  readonly keys: ReadonlySet<string>;
  /** Towns and countries as they are written, by their folded forms. */
  readonly written: ReadonlyMap<string, string>;
}

/** Collects the names of places. */
export function namesOfPlaces(events: readonly Placed[]): PlaceNames {
  const keys = new Set(events.flatMap((event) => [...placeOfEvent(event)?.keys ?? []]));
  const written = new Map(
    offerPlaces(events).flatMap(({ name, towns }) => [name, ...towns.map(({ name }) => name)])
      .map((name) => [fold(name), name]),
  );
  return { keys, written };
}

/** A place whose unknown parts are replaced by the nearest names; null if none is near, or all are known. */
export function correctPlace(text: string, { keys, written }: PlaceNames): string | null {
  const names = [...written.keys()];
  const typed = partsOf(text);
  const parts = typed.map((part) => {
    if (keysOfPart(part).some((key) => keys.has(key))) return part.text;
    return written.get(nearbyName(fold(part.text), names) ?? "") ?? null;
  });
  const isKnown = typed.every((part, at) => part.text === parts[at]);
  return parts.includes(null) || isKnown ? null : parts.join(", ");
}

/** The hint about places that no event has: the nearest ones. Null if every place has a name that is known. */
export function hintOfPlaces(places: readonly string[], names: PlaceNames): string | null {
  const unknown = places.map((place) => ({
    place,
    near: correctPlace(place, names),
    isKnown: keysOfAsked(place).some((part) => part.some((key) => names.keys.has(key))),
  })).filter(({ near, isKnown }) => near !== null || !isKnown);
  if (unknown.length === 0) return null;
  const near = unknown.map(({ near }) => near).filter((place) => place !== null);
  const asked = `No event has the place ${unknown.map(({ place }) => quoted(place)).join(" or ")}.`;
  return near.length === 0 ? asked : `${asked} Did you mean ${near.map(quoted).join(" or ")}?`;
}

/** A place that a page offers. */
export interface OfferedPlace {
  /** The usual spelling, for people. */
  readonly name: string;
  /** The value of the filter. */
  readonly value: string;
  /** How many events the filter chooses. */
  readonly count: number;
}

/** A country and its towns, or a town whose country no text names. */
export interface OfferedPlaces extends OfferedPlace {
  readonly towns: readonly OfferedPlace[];
}

interface Town {
  readonly written: Map<string, number>;
  readonly countries: Set<string | null>;
}

/** The places of events by the number of events, the most first, and otherwise by name. */
export function offerPlaces(events: readonly Placed[]): readonly OfferedPlaces[] {
  const towns = new Map<string, Town>();
  const townOfText = new Map<string, Town>();
  const countries = new Set<string>();
  const withKey = new Map<string, Placed[]>();
  for (const event of events) {
    const place = placeOfEvent(event);
    if (place === null) continue;
    const { keys, town, country } = place;
    for (const key of keys) {
      const known = withKey.get(key);
      if (known === undefined) withKey.set(key, [event]);
      else known.push(event);
    }
    if (country !== null) countries.add(country);
    if (town === null) continue;
    const known = townOfText.get(town) ?? townSpelled(town, towns);
    townOfText.set(town, known);
    known.written.set(town, (known.written.get(town) ?? 0) + 1);
    known.countries.add(country);
  }
  const offer = (name: string, value = name): OfferedPlace => {
    const [keys = []] = keysOfAsked(value);
    const near = new Set(keys.flatMap((key) => withKey.get(key) ?? []));
    return { name, value, count: [...near].filter(placeMatcherOf([value])).length };
  };
  const groups = new Map([...countries].map((code) => {
    const name = nameOfCountry(code);
    // "Congo - Kinshasa" would be two parts.
    const place = offer(name, partsOf(name).length === 1 ? name : code);
    return [code, { ...place, towns: [] as OfferedPlace[] }];
  }));
  const alone: OfferedPlaces[] = [];
  for (const town of new Set(towns.values())) {
    const name = mostOf(town.written);
    const named = [...town.countries].filter((country) => country !== null);
    const isOne = named.length < 2;
    for (const country of named.length === 0 || !isOne ? town.countries : named) {
      // With two countries of one town, each has its own.
      const place = isOne || country === null
        ? offer(name)
        : offer(name, `${name}, ${nameOfCountry(country)}`);
      const group = country === null ? undefined : groups.get(country);
      if (group === undefined) alone.push({ ...place, towns: [] });
      // "Singapore, Singapore" is offered once.
      else if (fold(name) !== fold(group.name)) group.towns.push(place);
    }
  }
  return [...groups.values(), ...alone]
    .map((group) => ({ ...group, towns: group.towns.toSorted(byCount) })).toSorted(byCount);
}

/** The town of one of the spellings of a text, or a new one, for all of them. */
function townSpelled(text: string, towns: Map<string, Town>): Town {
  const keys = spellings(text);
  const town = keys.map((key) => towns.get(key)).find((each) => each !== undefined) ??
    { written: new Map(), countries: new Set() };
  for (const key of keys) towns.set(key, town);
  return town;
}

function byCount(one: OfferedPlace, other: OfferedPlace): number {
  return other.count - one.count || compare(fold(one.name), fold(other.name));
}

/** The text that occurs most often, and of several one with capitals where they belong and with its accents. */
function mostOf(texts: ReadonlyMap<string, number>): string {
  const isShouted = (text: string) => text === text.toUpperCase() || text === text.toLowerCase();
  const [most = ["", 0]] = [...texts].toSorted(([a, x], [b, y]) =>
    y - x || Number(isShouted(a)) - Number(isShouted(b)) || a.length - b.length || compare(b, a)
  );
  return most[0];
}
