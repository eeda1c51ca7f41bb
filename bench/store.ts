/**
 * A record store for the bench: a stand-in table of made-up events. Arguments: EVENTS PORT CHARACTERS. The long texts
 * of each event have so many more characters.
 */

import { createAirtableStandIn } from "../lib/sandbox/airtable.ts";
import { sampleRecords } from "../lib/sandbox/sample.ts";
import { STORE } from "./foyer.ts";

const [events, port, characters] = Deno.args;
const LINE = "Für alle, die Städte *gern* mögen, und mehr. ";
const long = LINE.repeat(Number(characters) / LINE.length);

const sample = sampleRecords();
const records = Array.from({ length: Number(events) }, (_, at) => {
  const { fields } = sample[at % sample.length]!;
  return {
    id: `rec${String(at).padStart(14, "0")}`,
    createdTime: new Date(Date.parse("2026-01-01") + at * 60_000).toISOString(),
    fields: {
      "Name": at < sample.length ? fields["Name"] : `${fields["Name"]} ${at}`,
      "Description": `An event about ${fields["Name"]}, number ${at}. `.repeat(6) + long,
      ...(long !== "" && { "Requirements": long }),
      "Url": fields["Url"],
      "Start Date": fields["Start Date"],
      "End Date": fields["End Date"] ?? fields["Start Date"],
      "Format": (["in-person", "online", "both"] as const)[at % 3],
      "In Person Location": "Berlin, Germany",
      "Project Types": ["Software", "Websites"],
      "Background Type": "color",
      "Background Color": "#223344",
      "Theme Text": "#ffffff",
      "Theme Accent": "#ff8800",
      "Theme Logo Size": 120,
      "Theme Button Color": "#ff8800",
      "Theme Button Text Color": "#000000",
      "Theme Button Border Radius": 8,
      "Theme Button Border Width": 0,
      "Theme Button Border Color": "#ff8800",
    },
  };
});
const store = createAirtableStandIn({
  records,
  ...STORE,
  now: Date.now,
  origin: `http://127.0.0.1:${port}`,
  signingSecret: "bench",
});
Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, store.fetch);
