// A table as organisations fill theirs: cells of every kind of field that Airtable has, in its API's forms, and what
// people type into them. Most mean the same as the tidy cell; some mean nothing, and their events are shown without them.

import type { StandInRecord } from "./records.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Edits of a record's cells; each leaves alone what it does not name. */
const EDITS: readonly ((fields: Fields) => Fields)[] = [
  // Choices with other words, of one or of several.
  ({ Format }) => ({ Format: spoken(Format) }),
  ({ Format }) => ({ Format: [spoken(Format)] }),
  ({ Format }) => ({ Format: { id: "selAbCdEfGhIjKlMn", name: spoken(Format), color: "blue" } }),
  (fields) => ({ "Project Types": listOf(fields).join(", ") }),
  (fields) => ({ "Project Types": [...listOf(fields), "AI"] }),
  (fields) => ({ "Project Types": listOf(fields).map((type) => type.toUpperCase()) }),
  () => ({ Format: "by mail" }),
  // Addresses without a scheme, in a button, in Markdown, with another scheme.
  ({ Url }) => ({ Url: String(Url).replace(/^https:\/\//, "") }),
  ({ Url }) => ({ Url: { label: "Open the website", url: Url } }),
  ({ Url }) => ({ Url: `[Website](${Url})` }),
  () => ({ Url: "see poster" }),
  () => ({ "Slack Url": "slack://channel?team=T1&id=C1" }),
  // Lookups, rollups, links without a lookup.
  ({ "In Person Location": place }) => ({ "In Person Location": [place ?? null] }),
  ({ "Start Date": day }) => ({ "Start Date": [day] }),
  ({ "Start Date": day }) => ({ "Start Date": `${day}T10:00:00.000Z` }),
  () => ({ "Requirements": ["recAbCdEfGhIjKlMn", "recNmLkJiHgFeDcBa"] }),
  // Formulas, also with errors; generated texts; bar codes; collaborators.
  ({ "End Date": day }) => ({ "End Date": typeof day === "string" ? german(day) : day }),
  () => ({ "Requirements": { error: "#ERROR!" } }),
  () => ({ "Theme Logo Size": { specialValue: "NaN" } }),
  ({ Description: value }) => ({ Description: { state: "generated", value, isStale: false } }),
  () => ({ "Requirements": { state: "error", errorType: "emptyDependency", value: null } }),
  ({ Name }) => ({ Name: { text: Name, type: "code39" } }),
  () => ({ "Slack Channel": { id: "usrAbCdEfGhIjKl", email: "ada@example.org", name: "Ada" } }),
  // Flags and numbers as texts, days that contradict each other, a moment that is none.
  ({ Pinned }) => ({ Pinned: Pinned === true ? "TRUE" : 0 }),
  () => ({ "End Date": "until further notice" }),
  ({ "Start Date": day }) => ({ "End Date": dayBefore(String(day)) }),
  () => ({ "Announced At": "soon" }),
  ({ Name }) => ({ Name: `${Name}\u202e` }),
];

/** One record in so many is edited, and the first of a table is not. */
const EVERY = 7;

/** The same records, of which some are edited: with at least 200, each edit is made. */
export function untidy(records: readonly StandInRecord[]): StandInRecord[] {
  return records.map((record, at) => {
    const edit = at % EVERY === EVERY - 1
      ? EDITS[Math.floor(at / EVERY) % EDITS.length]
      : undefined;
    if (edit === undefined) return record;
    return { ...record, fields: { ...record.fields, ...edit(record.fields) } };
  });
}

function spoken(format: unknown): string {
  const words = { "in-person": "In-Person Only", "online": "Online Only", "both": "Hybrid" };
  return Object.entries(words).find(([word]) => word === format)?.[1] ?? "Both";
}

function listOf({ "Project Types": types }: Fields): string[] {
  return Array.isArray(types) ? types.map(String) : [];
}

function german(day: string): string {
  return day.replace(/^(\d{4})-(\d{2})-(\d{2})$/, "$3.$2.$1");
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}
