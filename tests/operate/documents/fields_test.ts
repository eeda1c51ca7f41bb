/** What the documents say about an event's fields: each value that a field is limited to, each column. */

import assert from "node:assert/strict";
import { z } from "zod";
import { eventSchema } from "../../../lib/events/model.ts";
import { COLUMN_NAMES } from "../../../lib/platform/columns.ts";

const read = (name: string) =>
  Deno.readTextFile(new URL(`../../../static/docs/${name}.md`, import.meta.url));

Deno.test("the guide to the events names every value that a field is limited to", async () => {
  const [, section = ""] = /## The fields of an event\n([^]*?)\n## /.exec(await read("events")) ??
    [];
  const values: string[] = [];
  JSON.stringify(z.toJSONSchema(eventSchema), (name, value) => {
    if (name === "enum") values.push(...value);
    return value;
  });
  assert.ok(values.length > 10, `${values.length} values are found`);
  for (const value of values) assert.ok(section.includes(`\`${value}\``), `no ${value}`);
});

Deno.test("the guide to the configuration names the column of each field that a record fills in", async () => {
  const document = await read("configuration");
  for (const column of Object.values(COLUMN_NAMES)) {
    assert.ok(document.includes(`\`${column}\``), `no ${column}`);
  }
});
