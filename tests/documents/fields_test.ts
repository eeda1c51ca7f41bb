/** The tables of an event's fields: each field, each value that it may have, each column. */

import assert from "node:assert/strict";
import { z } from "zod";
import { COLUMN_NAMES } from "../../lib/events/columns.ts";
import { eventSchema } from "../../lib/events/model.ts";

/** As much of JSON Schema as the schema of an event uses. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const read = (name: string) =>
  Deno.readTextFile(new URL(`../../static/docs/${name}.md`, import.meta.url));

/** Each field by its path, with the values that it is limited to. */
function fieldsOf(schema: Schema, definitions: Schema["$defs"], path = ""): [string, string[]][] {
  const { $ref, anyOf = [], items, properties = {} } = schema;
  const name = $ref?.split("/").at(-1) ?? "";
  const parts = [...anyOf, items, definitions?.[name]].filter((part) => part !== undefined);
  return [
    [path, [...schema.enum ?? []]],
    ...parts.flatMap((part) => fieldsOf(part, definitions, path)),
    ...Object.entries(properties).flatMap(([name, part]) =>
      fieldsOf(part, definitions, path === "" ? name : `${path}.${name}`)
    ),
  ];
}

Deno.test("events.md has a row for each field of an event, with the values that it may have", async () => {
  const rows = (await read("events")).split("\n").filter((line) => line.startsWith("| `"));
  const schema = z.toJSONSchema(eventSchema) as Schema;
  const fields = fieldsOf(schema, schema.$defs).filter(([path]) => path !== "");
  assert.ok(fields.length > 30, `${fields.length} fields are found`);
  for (const [path, values] of fields) {
    // A field whose parts have rows of their own, such as `theme.button`, needs none.
    if (path === "theme.button") continue;
    const row = rows.find((line) => line.startsWith(`| \`${path}\` `));
    assert.ok(row !== undefined, `no row for ${path}`);
    for (const value of values) assert.ok(row.includes(`\`${value}\``), `${path}: no ${value}`);
  }
});

Deno.test("operate.md names the column of each field", async () => {
  const document = await read("operate");
  for (const column of Object.values(COLUMN_NAMES)) {
    assert.ok(document.includes(`\`${column}\``), `no column ${column}`);
  }
});
