/** The data of an event for search engines, by what Google and schema.org ask for. */

import assert from "node:assert/strict";
import { eventData } from "../../lib/events/site/event_data.ts";
import type { Event } from "../../lib/events/model.ts";
import { revisedEvent } from "./revised_event.ts";

const SITE = { name: "Harbour Arts", baseUrl: "https://foyer.example" };
const IMAGES = ["/events/recA/card?v=1"];

const dataOf = (fields: Partial<Event>, images: readonly string[] = IMAGES) =>
  eventData({ ...revisedEvent(), status: "upcoming", ...fields }, { site: SITE, images });

/** A member of the data by its path. */
function memberOf(data: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name],
    data,
  );
}

const isText = (value: unknown) => typeof value === "string" && value.trim() !== "";
const isAddress = (value: unknown) => URL.canParse(String(value));
const isDay = (value: unknown) => /^\d{4}-\d\d-\d\d$/.test(String(value));

/**
 * What Google requires (R) or recommends, and what a value must be:
 * https://developers.google.com/search/docs/appearance/structured-data/event
 */
const WANTED: readonly (readonly [path: string, isRight: (value: unknown) => boolean])[] = [
  ["@context", (value) => value === "https://schema.org"],
  ["@type", (value) => value === "Event"],
  ["name", isText], // R
  ["startDate", isDay], // R
  ["location.0.@type", (value) => value === "Place"], // R
  ["location.0.address.@type", (value) => value === "PostalAddress"], // R
  ["location.0.address.addressLocality", (value) => value === "Porto"],
  ["location.0.address.addressCountry", (value) => value === "PT"],
  ["location.0.name", isText],
  ["location.1.url", isAddress],
  ["description", isText],
  ["endDate", isDay],
  ["eventStatus", (value) => value === "https://schema.org/EventScheduled"],
  ["eventAttendanceMode", (value) => value === "https://schema.org/MixedEventAttendanceMode"],
  ["image.0", isAddress],
  ["organizer.@type", (value) => value === "Organization"],
  ["organizer.name", isText],
  ["organizer.url", isAddress],
  ["url", isAddress],
];

const at = (location: string | null) => ({ start: null, end: null, location });

Deno.test("the data have what search engines require and recommend of an event", () => {
  const data = dataOf({ format: "both", inPerson: at("Porto, Portugal") });
  for (const [path, isRight] of WANTED) {
    assert.ok(isRight(memberOf(data, path)), `${path}: ${memberOf(data, path)}`);
  }
});

Deno.test("there are data with a place or an online address alone", () => {
  const url = "https://hack.example/";
  const cases: [Partial<Event>, string[] | null][] = [
    [{ format: "in-person", inPerson: at("Berlin"), url }, ["Place"]],
    [{ format: null, inPerson: at("Berlin"), url }, ["Place"]],
    [{ format: "both", inPerson: at("Berlin"), url }, ["Place", "VirtualLocation"]],
    [{ format: "both", inPerson: at("Berlin"), url: null, slackUrl: null }, ["Place"]],
    [{ format: "online", inPerson: at("Zoom"), url }, ["VirtualLocation"]],
    [{ format: "online", inPerson: null, url: null }, ["VirtualLocation"]],
    [{ format: "online", inPerson: null, url: null, slackUrl: null }, null],
    [{ format: "online", inPerson: null, url: "javascript:alert(1)", slackUrl: null }, null],
    [{ format: "in-person", inPerson: at("to be announced"), url }, null],
    [{ format: "in-person", inPerson: null, url }, null],
    [{ format: null, inPerson: null, url }, null],
  ];
  for (const [fields, types] of cases) {
    const locations = memberOf(dataOf(fields), "location") as { "@type": string }[] | undefined;
    const found = locations?.map((location) => location["@type"]) ?? null;
    assert.deepEqual(found, types, JSON.stringify(fields));
  }
});
