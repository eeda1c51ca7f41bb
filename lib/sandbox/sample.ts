// The sample: real conferences (`data/README.md` says whence) and made-up programmes, as records of the table `Events`.
//
// Real: name, address, dates, place, languages and topics of a conference. Made for the sample, because the data lack it:
// descriptions (sentences built from those facts), project types (by topic), some formats left blank, channels,
// announcement dates, pinning, and all styling and pictures. All of it depends on the event alone, so that it is the
// same in every run; nothing here depends on the clock. Every record is well-formed: hostile ones live in tests.

import { createHash } from "node:crypto";
import { backgroundPicture, logoPicture } from "./artwork.ts";
import conferences from "./data/conferences.json" with { type: "json" };
import { type Palette, PALETTES } from "./palettes.ts";
import { type Programme, PROGRAMMES } from "./programmes.ts";
import { createRandom, type Random } from "./random.ts";
import type { StandInAttachment, StandInRecord } from "./records.ts";
import { describeTopic, languageNames } from "./topics.ts";

interface Conference {
  readonly name: string;
  readonly url: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly city?: string | undefined;
  readonly country?: string | undefined;
  readonly online: boolean;
  readonly locales: string;
  readonly topics: readonly string[];
}

/** The table's columns: the words of the fields' paths in title case. */
export const SAMPLE_COLUMNS: readonly string[] = [
  "Name",
  "Description",
  "Url",
  "Start Date",
  "End Date",
  "Announced At",
  "Format",
  "In Person Start",
  "In Person End",
  "In Person Location",
  "Project Types",
  "Slack Channel",
  "Slack Url",
  "Requirements",
  "Pinned",
  "Logo Url",
  "Background Type",
  "Background Color",
  "Background Image Url",
  "Theme Text",
  "Theme Accent",
  "Theme Logo Size",
  "Theme Button Color",
  "Theme Button Text Color",
  "Theme Button Border Radius",
  "Theme Button Border Width",
  "Theme Button Border Color",
];

const DAY_MS = 86_400_000;
/** No record of the sample is newer, so that none is from the future. */
const NEWEST = Date.parse("2026-11-20T00:00:00Z");

const LONG_DATE = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const AND_LIST = new Intl.ListFormat("en-GB");

/** Every event of the sample as a record, in the order of the start dates; fresh objects at each call. */
export function sampleRecords(): StandInRecord[] {
  return [...conferences.map(conferenceRecord), ...PROGRAMMES.map(programmeRecord)]
    .sort((a, b) => String(a.fields["Start Date"]).localeCompare(String(b.fields["Start Date"])));
}

function conferenceRecord(conference: Conference): StandInRecord {
  const { name, url, startDate, endDate, city, country, online, topics } = conference;
  const key = `${name}|${startDate}|${city ?? ""}`;
  const random = createRandom(key);
  const created = createdTime(startDate, random);
  const inPerson = city !== undefined;
  // A few rows have the format left blank, as happens in a table that people fill in.
  const blank = random.chance(0.06);
  const channel = random.chance(0.4) ? channelName(name) : undefined;
  const types = topics.flatMap((topic) => describeTopic(topic).projectTypes);

  return {
    id: recordId(key),
    createdTime: created,
    fields: withoutEmpty({
      Name: name,
      Description: describe(conference),
      Url: url,
      "Start Date": startDate,
      "End Date": endDate,
      "Announced At": created,
      Format: blank ? undefined : !inPerson ? "online" : online ? "both" : "in-person",
      "In Person Start": inPerson && !blank ? startDate : undefined,
      "In Person End": inPerson && !blank ? endDate : undefined,
      "In Person Location": inPerson && !blank ? place(city, country) : undefined,
      "Project Types": [...new Set(types)],
      ...slackCells(channel),
      Pinned: random.chance(0.008) ? true : undefined,
      ...(random.chance(1 / 8) ? {} : swag(key, random.pick(PALETTES), random)),
    }),
  };
}

function programmeRecord(programme: Programme): StandInRecord {
  const { name, startDate, inPerson } = programme;
  const key = `${name}|${startDate}`;
  const random = createRandom(key);
  const created = createdTime(startDate, random);
  const palette = PALETTES.find((candidate) => candidate.name === programme.palette);

  return {
    id: recordId(key),
    createdTime: created,
    fields: withoutEmpty({
      Name: name,
      Description: programme.description,
      Url: `https://example.org/programmes/${channelName(name)}`,
      "Start Date": startDate,
      "End Date": programme.endDate,
      "Announced At": created,
      Format: programme.format,
      "In Person Start": inPerson?.start,
      "In Person End": inPerson?.end,
      "In Person Location": inPerson?.location,
      "Project Types": [...programme.projectTypes],
      ...slackCells(programme.channel),
      Requirements: programme.requirements,
      Pinned: programme.pinned,
      ...(palette ? swag(key, palette, random, { logo: true, image: true }) : {}),
    }),
  };
}

/** Two or three sentences from the facts that the data have. */
function describe(conference: Conference): string {
  const { name, city, country, online, locales, topics } = conference;
  const what = listed(topics.map((topic) => describeTopic(topic).label));
  const where = city === undefined ? "online" : `in ${place(city, country)}`;
  const random = createRandom(`description|${name}|${conference.startDate}`);
  const opening = random.pick([
    `${name} is a conference on ${what}, held ${where}.`,
    `A conference on ${what}, ${where}.`,
    `${name} brings people who work on ${what} together ${where}.`,
  ]);
  const dates = `It ${when(conference)}.`;
  const rest = city !== undefined && online
    ? "It can also be followed online."
    : `It is held in ${listed(languageNames(locales))}.`;
  // "U.K." and "U.S.A." bring their own full stop.
  return `${opening} ${dates} ${rest}`.replaceAll("..", ".");
}

function when({ startDate, endDate }: Conference): string {
  const [start, end] = [Date.parse(startDate), Date.parse(endDate)];
  const days = (end - start) / DAY_MS + 1;
  if (days <= 1) return `takes one day, ${LONG_DATE.format(start)}`;
  return `takes ${days} days, from ${LONG_DATE.format(start)} to ${LONG_DATE.format(end)}`;
}

function listed(words: readonly string[]): string {
  return AND_LIST.format(words);
}

function place(city: string, country: string | undefined): string {
  return country === undefined || country === city ? city : `${city}, ${country}`;
}

/** Some weeks before the start; where that would be in the future, within the month before `NEWEST`. */
function createdTime(startDate: string, random: Random): string {
  const early = Date.parse(startDate) - (14 + random.next() * 84) * DAY_MS;
  const late = NEWEST - (0.2 + random.next() * 30) * DAY_MS;
  return new Date(Math.floor((early < NEWEST - DAY_MS ? early : late) / 1000) * 1000).toISOString();
}

/** `rec` and 14 letters or digits that depend on the event alone. */
function recordId(key: string): string {
  return `rec${token(key)}`;
}

function token(key: string): string {
  return createHash("sha256").update(key).digest("base64").replace(/[^A-Za-z0-9]/g, "").slice(
    0,
    14,
  );
}

function channelName(name: string): string {
  return name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

function slackCells(channel: string | undefined): Record<string, unknown> {
  if (!channel) return {};
  return {
    "Slack Channel": channel,
    "Slack Url": `https://slack.example.org/archives/C${token(channel).slice(0, 10).toUpperCase()}`,
  };
}

/** The cells of a card's styling. About half have a background picture, two thirds a logo. */
function swag(
  key: string,
  palette: Palette,
  random: Random,
  sure: { logo?: boolean; image?: boolean } = {},
): Record<string, unknown> {
  const image = sure.image || random.chance(0.5);
  const logo = sure.logo || random.chance(0.65);
  // Few different pictures, so that all of them can be drawn in a moment.
  const background = backgroundPicture(`background-${palette.name}`, palette.name);
  const mark = logoPicture(`logo-${random.int(1, 2)}-${palette.name}`, palette.name);
  return {
    "Logo Url": logo ? [attachment(`logo|${key}`, "logo.png", mark)] : undefined,
    "Background Type": image ? "image" : "color",
    "Background Color": palette.ramp[1],
    "Background Image Url": image
      ? [attachment(`background|${key}`, "background.png", background)]
      : undefined,
    "Theme Text": palette.text,
    "Theme Accent": palette.accent,
    "Theme Logo Size": random.pick([48, 56, 64, 72, 96]),
    "Theme Button Color": palette.button.color,
    "Theme Button Text Color": palette.button.text,
    "Theme Button Border Radius": palette.button.radius,
    "Theme Button Border Width": palette.button.borderWidth,
    "Theme Button Border Color": palette.button.borderColor,
  };
}

function attachment(
  key: string,
  filename: string,
  source: StandInAttachment["source"],
): StandInAttachment {
  return { id: `att${token(key)}`, filename, source };
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
