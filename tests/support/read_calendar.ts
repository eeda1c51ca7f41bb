/** A strict reading of iCalendar: the rules of RFC 5545 that a tolerant parser forgives, then ical.js. */

import assert from "node:assert/strict";
import ICAL from "ical.js";

/** A component's properties: values as text by name, lists as lists. */
export type Properties = Readonly<Record<string, string | readonly string[]>>;

/** A parsed calendar. */
interface ReadCalendar {
  readonly head: Properties;
  readonly events: readonly Properties[];
}

/** The properties that Foyer writes and that may occur at most once in a VEVENT (RFC 5545, section 3.6.1). */
const ONCE = new Set(["uid", "dtstamp", "dtstart", "dtend", "sequence", "status", "transp", "url"]);

/** Parses a calendar; throws unless it obeys the standard strictly. */
export function readCalendar(text: string): ReadCalendar {
  const lines = text.split("\r\n");
  assert.equal(lines.pop(), "", "the last line has an end");
  for (const line of lines) {
    const octets = new TextEncoder().encode(line).length;
    assert.ok(octets > 0 && octets <= 75, `${octets} octets: ${line}`);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(line, /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/);
    assert.ok(line.isWellFormed(), "no character is split by a fold");
    assert.match(line, /^(?: |[A-Z][A-Z0-9-]*[;:])/);
  }
  const calendar = new ICAL.Component(ICAL.parse(text));
  assert.equal(calendar.name, "vcalendar");
  assert.deepEqual(
    calendar.getAllSubcomponents().filter(({ name }) => name !== "vevent"),
    [],
    "there is nothing but events in it",
  );
  return {
    head: propertiesOf(calendar),
    events: calendar.getAllSubcomponents("vevent").map(propertiesOf),
  };
}

/** The events by their UID; no two have one. */
export function byUid({ events }: ReadCalendar): Map<string, Properties> {
  const found = new Map(events.map((event) => [String(event["uid"]), event]));
  assert.equal(found.size, events.length, "every UID is there once");
  return found;
}

function propertiesOf(component: ICAL.Component): Properties {
  const read: Record<string, string | readonly string[]> = {};
  for (const property of component.getAllProperties()) {
    assert.ok(!(ONCE.has(property.name) && property.name in read), `${property.name} twice`);
    const values = property.getValues().map(String);
    read[property.name] = property.name === "categories" ? values : values.join();
  }
  return read;
}
