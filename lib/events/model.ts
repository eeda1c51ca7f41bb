/**
 * The shapes of the events API, as `static/docs/events.md` describes them, and the addresses of an event.
 * The shapes describe the responses; an `id` is the name of a shape in the API reference.
 */

import { z } from "zod";
import { EVENT_FORMATS, EVENT_STATUSES, type EventStatus, PROJECT_TYPES } from "./values.ts";

/** A calendar day, `YYYY-MM-DD`, that exists. */
const dateSchema = z.iso.date();
/** An instant in UTC, `YYYY-MM-DDThh:mm:ss.sssZ`. */
export const dateTimeSchema = z.iso.datetime();

/** EventInPerson: when and where people meet; all three fields are always there. */
const eventInPersonSchema = z.object({
  start: dateSchema.nullable(),
  end: dateSchema.nullable(),
  location: z.string().nullable(),
}).meta({ id: "EventInPerson" });

/** EventBackground: the background of the event's card. */
const eventBackgroundSchema = z.object({
  type: z.enum(["color", "image"]).describe("Which of the two other fields the card uses."),
  color: z.string(),
  imageUrl: z.string().nullable().describe(
    "Signed upstream URL, valid about 2 hours. Clients must cache it heavily or store the image, not hotlink it.",
  ),
}).meta({ id: "EventBackground" });

/** EventTheme: the look of the event's card except its background. Radius and width are CSS pixels. */
const eventThemeSchema = z.object({
  text: z.string(),
  accent: z.string(),
  logoSize: z.number(),
  button: z.object({
    color: z.string(),
    textColor: z.string(),
    borderRadius: z.number(),
    borderWidth: z.number(),
    borderColor: z.string(),
  }),
}).meta({ id: "EventTheme" });

/** Event: one event with its card styling. */
export const eventSchema = z.object({
  id: z.string().describe("Upstream record id. Stable; clients store this instead of the slug."),
  slug: z.string().describe("Derived from the name; changes if the event is renamed."),
  name: z.string(),
  description: z.string().nullable(),
  url: z.string().nullable().describe("The event's own website."),
  status: z.enum(EVENT_STATUSES),
  startDate: dateSchema,
  endDate: dateSchema.nullable().describe("null means the event runs indefinitely."),
  announcedAt: dateTimeSchema.describe("When the event was added."),
  format: z.enum(EVENT_FORMATS).nullable(),
  inPerson: eventInPersonSchema.nullable().describe("null if the event is online only."),
  projectTypes: z.array(z.enum(PROJECT_TYPES)),
  slackChannel: z.string().nullable().describe("Channel name without the leading #."),
  slackUrl: z.string().nullable(),
  requirements: z.string().nullable(),
  pinned: z.boolean(),
  logoUrl: z.string().nullable().describe("Signed upstream URL, valid about 2 hours."),
  background: eventBackgroundSchema.nullable().describe("null if the event has no swag yet."),
  theme: eventThemeSchema.nullable().describe("null if the event has no swag yet."),
}).meta({ id: "Event" });

/** EventList: the response of the list. */
export const eventListSchema = z.object({
  data: z.array(eventSchema),
  meta: z.object({
    count: z.int().describe("Number of events in data after filtering and limit."),
    generatedAt: dateTimeSchema.describe("When the data were read from the record store."),
    withdrawn: z.array(z.string()).nullable().optional().describe(
      "Given with changedSince: the ids of the events that were withdrawn within 30 days, and of " +
        "those that changed so that the filters no longer choose them. null if nothing is known " +
        "of so long ago: read the whole list then.",
    ),
    hint: z.string().optional().describe(
      "Given if no event has a place that was asked for: the nearest place.",
    ),
  }),
}).meta({ id: "EventList" });

/** EventItem: the response for one event. */
export const eventItemSchema = z.object({
  data: eventSchema,
  meta: z.object({ generatedAt: dateTimeSchema }),
}).meta({ id: "EventItem" });

/** The response of the list. */
export type EventList = z.output<typeof eventListSchema>;
/** An event in a response. */
export type Event = z.output<typeof eventSchema>;
/** A stored event: each response computes the status again. */
export type StoredEvent = Omit<Event, "status">;

// Object.keys loses the names that the schema states.
const STORED_FIELDS = Object.keys(
  eventSchema.omit({ status: true }).shape,
) as (keyof StoredEvent)[];

/** The event of a response: its fields alone, in the order of the contract, and its status. */
export function withStatus(event: StoredEvent, status: EventStatus): Event {
  const fields = Object.fromEntries(STORED_FIELDS.map((name) => [name, event[name]]));
  // These are all fields, which fromEntries cannot express.
  return { ...fields, status } as Event;
}

/** The path of an event's page. */
export function eventHref(slug: string): string {
  return `/events/${encodeURIComponent(slug)}`;
}

/** The path of something that belongs to an event. It has the id, so that it survives a renaming. */
export function partHref(id: string, part: ".ics" | "/card" | "/logo" | "/background"): string {
  return `/events/${encodeURIComponent(id)}${part}`;
}

/** The `Link` header with the only address of a representation that several query strings ask for. */
export function canonicalLink(baseUrl: string, path: string): string {
  return `<${baseUrl}${path}>; rel="canonical"`;
}

/**
 * The `Link` header of an event: its page, calendar and card, and the logo and the background that it has.
 *
 * @param baseUrl without a trailing slash.
 */
export function eventLinks(event: StoredEvent, baseUrl: string): string {
  const { id, slug, logoUrl, background } = event;
  const links: [path: string, parameters: string][] = [
    [eventHref(slug), `rel="alternate"; type="text/html"; title="page"`],
    [partHref(id, ".ics"), `rel="alternate"; type="text/calendar"; title="calendar"`],
    [partHref(id, "/card"), `rel="preview"; type="image/png"; title="card"`],
  ];
  if (logoUrl !== null) links.push([partHref(id, "/logo"), `rel="icon"; title="logo"`]);
  if (background?.imageUrl) {
    links.push([partHref(id, "/background"), `rel="related"; title="background"`]);
  }
  return links.map(([path, parameters]) => `<${baseUrl}${path}>; ${parameters}`).join(", ");
}

/** An image of an event: the store's id of the attachment (null for a plain address) and its URL. */
export interface EventImage {
  readonly attachmentId: string | null;
  readonly url: string;
}
