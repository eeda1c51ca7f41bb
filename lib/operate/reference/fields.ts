/** JSON schemas in words: the rows of a body's table, the type of a value, the notes on a parameter. */

import type { ParameterObject } from "./operation.ts";
import type { JsonSchema } from "./schemas.ts";

/** A row for each field: name, type and notes. The name of a nested field is a path with dots. */
export function fieldsOf(schema: JsonSchema, before = ""): string[][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const optional = required.includes(name) ? "" : "Optional. ";
    const row = [`\`${before}${name}\``, typeText(field), `${optional}${field.description ?? ""}`];
    return [row, ...fieldsOf(field, `${before}${name}.`)];
  });
}

/** The type of a value, in markdown; a named body is a link to its section. */
export function typeText(schema: JsonSchema): string {
  const { $ref, anyOf, const: only, enum: allowed, items, type, format } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (anyOf !== undefined) return anyOf.map(typeText).join(" or ");
  if (only !== undefined) return `\`${only}\``;
  if (allowed !== undefined) return allowed.map((value) => `\`${value}\``).join(", ");
  if (items !== undefined) {
    const one = typeText(items);
    return one === "anything" ? "array" : `array of ${one}`;
  }
  const { additionalProperties: values } = schema;
  if (type === "object" && typeof values === "object" && Object.keys(values).length > 0) {
    return `object, each value ${typeText(values)}`;
  }
  if (type === undefined) return "anything";
  const kinds = typeof type === "string" ? type : type.join(" or ");
  return `${kinds}${format === undefined ? "" : ` (${format})`}${rangeText(schema)}`;
}

/** The notes on a parameter, in markdown: its description, its default, whether it is required. */
export function parameterNotes({ description, schema, required }: ParameterObject): string {
  const byDefault = schema.default === undefined ? "" : ` Default: \`${schema.default}\`.`;
  return `${description}${byDefault}${required ? " Required." : ""}`;
}

function rangeText({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined && maximum === undefined) return "";
  return maximum === undefined ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}
