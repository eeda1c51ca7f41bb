/** A record store for the bench: a stand-in table of made-up events. Arguments: EVENTS PORT. */

import { createAirtableStandIn } from "../lib/sandbox/airtable.ts";
import conferences from "../lib/sandbox/data/conferences.json" with { type: "json" };
import { STORE } from "./foyer.ts";

const [events, port] = Deno.args;

const records = Array.from({ length: Number(events) }, (_, at) => {
  const { name, url, startDate, endDate } = conferences[at % conferences.length] ?? conferences[0]!;
  return {
    id: `rec${String(at).padStart(14, "0")}`,
    createdTime: new Date(Date.parse("2026-01-01") + at * 60_000).toISOString(),
    fields: {
      "Name": at < conferences.length ? name : `${name} ${at}`,
      "Description": `An event about ${name}, number ${at}. `.repeat(6),
      "Url": url,
      "Start Date": startDate,
      "End Date": endDate,
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
