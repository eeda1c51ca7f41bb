/** The configuration: defaults, and every mistake at once by name. */

import assert from "node:assert/strict";
import { ConfigError, parseConfig } from "../lib/config.ts";

function mistakes(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.mistakes;
  }
  return [];
}

Deno.test("an empty environment gives the documented defaults", () => {
  assert.deepEqual(parseConfig({}), {
    PORT: 8000,
    HOST: "0.0.0.0",
    BASE_URL: "http://localhost:8000",
    EVENTS_STORE: "airtable",
    AIRTABLE_API_URL: "https://api.airtable.com",
    AIRTABLE_TABLE: "Events",
    AIRTABLE_FIELDS: {},
    EVENTS_REFRESH_SECONDS: 120,
    EVENTS_TIME_ZONE: "UTC",
  });
});

Deno.test("a variable that is set but empty counts as unset", () => {
  assert.equal(parseConfig({ PORT: "", EVENTS_TIME_ZONE: "  " }).PORT, 8000);
});

Deno.test("addresses lose the slash at their end", () => {
  assert.equal(
    parseConfig({ BASE_URL: "https://foyer.example/" }).BASE_URL,
    "https://foyer.example",
  );
});

Deno.test("every mistake is reported at once, by name and with what would be right", () => {
  const found = mistakes({
    PORT: "eighty",
    BASE_URL: "ftp://foyer.example",
    EVENTS_STORE: "excel",
    EVENTS_REFRESH_SECONDS: "301",
    EVENTS_TIME_ZONE: "Mars/Olympus",
    AIRTABLE_FIELDS: '{"title":"Name"}',
  });
  const table = [
    ["PORT", /whole number from 0 to 65535/],
    ["BASE_URL", /http:\/\/ or https:\/\//],
    ["EVENTS_STORE", /airtable or file/],
    ["EVENTS_REFRESH_SECONDS", /from 1 to 300/],
    ["EVENTS_TIME_ZONE", /IANA time zone/],
    ["AIRTABLE_FIELDS", /name, description/],
  ] as const;
  assert.equal(found.length, table.length);
  for (const [name, expected] of table) {
    const line = found.find((each) => each.startsWith(`${name}: `));
    assert.match(line ?? `nothing about ${name}`, expected);
  }
});

Deno.test("the file store without its file is a mistake", () => {
  assert.match(mistakes({ EVENTS_STORE: "file" })[0] ?? "", /^EVENTS_FILE: /);
});

Deno.test("a misspelt name is a mistake that names the right one, a foreign name is none", () => {
  assert.deepEqual(mistakes({ AIRTABEL_TOKEN: "x" }), [
    "AIRTABEL_TOKEN: no such variable; AIRTABLE_TOKEN is one",
  ]);
  assert.deepEqual(mistakes({ HOME: "/root", LANG: "C", GITHUB_TOKEN: "x" }), []);
});

Deno.test("no message repeats a value, which may be a secret", () => {
  const secret = "patSECRET.value";
  const names = ["PORT", "BASE_URL", "EVENTS_STORE", "AIRTABLE_FIELDS", "AIRTABLE_TOKN"];
  const found = mistakes(Object.fromEntries(names.map((name) => [name, secret])));
  assert.equal(found.length, names.length);
  assert.ok(!found.join().includes("SECRET"));
});
