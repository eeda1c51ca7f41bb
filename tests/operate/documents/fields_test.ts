/** The tables of an event's fields: each field, each value that it may have, each column. */

import assert from "node:assert/strict";
import { z } from "zod";
import { eventSchema } from "../../../lib/events/model.ts";

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
  Deno.readTextFile(new URL(`../../../static/docs/${name}.md`, import.meta.url));

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

/** The path of a field in title case: `inPerson.start` as "In Person Start". */
const titleCase = (path: string) =>
  path.split(/\.|(?=[A-Z])/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");

const schema = z.toJSONSchema(eventSchema) as Schema;
const fields = fieldsOf(schema, schema.$defs).filter(([path]) => path !== "");
const paths = [...new Set(fields.map(([path]) => path))];
const isWhole = (path: string) => !paths.some((other) => other.startsWith(`${path}.`));

Deno.test("events.md has a row for each field of an event, with the values that it may have", async () => {
  const rows = (await read("events")).split("\n").filter((line) => line.startsWith("| `"));
  assert.ok(paths.length > 30, `${paths.length} fields are found`);
  for (const [path, values] of fields) {
    // The parts of `theme.button` have rows of their own.
    if (path === "theme.button") continue;
    const row = rows.find((line) => line.startsWith(`| \`${path}\` `));
    assert.ok(row !== undefined, `no row for ${path}`);
    for (const value of values) assert.ok(row.includes(`\`${value}\``), `${path}: no ${value}`);
  }
});

Deno.test("operate.md names the column of each field that a record fills in", async () => {
  const document = await read("operate");
  const isMade = (path: string) => ["id", "slug", "status"].includes(path);
  const columns = paths.filter((path) => isWhole(path) && !isMade(path)).map(titleCase);
  assert.ok(columns.length > 25, `${columns.length} columns are found`);
  for (const column of columns) assert.ok(document.includes(`\`${column}\``), `no ${column}`);
});
