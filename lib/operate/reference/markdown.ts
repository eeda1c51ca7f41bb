/** The reference as markdown; the page renders the same markdown. */

import { ERROR_CODES, type ErrorCode, ERRORS } from "../../platform/http/errors.ts";
import { blocks, list, table } from "../../platform/markdown.ts";
import { NEW_TAB } from "../documents/render.ts";
import { type OpenApi, operationsOf } from "./openapi.ts";
import {
  type ApiRequest,
  curlCommand,
  errorCodesOf,
  type Operation,
  type ParameterObject,
  type ResponseObject,
  sampleRequest,
} from "./operation.ts";
import type { JsonSchema } from "./schemas.ts";

/** Renders the document: a section for each address, at an anchor such as `#get-api-v1-events`. */
export function referenceMarkdown(
  openApi: OpenApi,
  described: Readonly<Record<string, Operation>>,
): string {
  const { info, servers: [server], tags, components } = openApi;
  const baseUrl = server?.url ?? "";
  const operations = operationsOf(openApi);
  const groups = tags.map(({ name, description }) =>
    blocks(
      `## ${name}`,
      description,
      ...operations.filter(({ operation }) => operation.tags[0] === name)
        .map((each) => operationSection(each, described[each.path], baseUrl)),
    )
  );
  const headers = Object.entries(components.headers)
    .map(([name, { description }]) => [code(name), description]);
  return blocks(
    "# API reference",
    `${info.summary} Made from [openapi.json](${baseUrl}/api/v1/openapi.json), version ${info.version}.`,
    info.description,
    ...groups,
    blocks(
      "## Keys",
      list([
        `${code("Authorization: Bearer <key>")}: ${components.securitySchemes.bearer.description}`,
        `${code("x-api-key: <key>")}: ${components.securitySchemes.apiKey.description}`,
      ]),
    ),
    blocks(
      "## Errors",
      `The body of each is an [Error](#error); the document [Errors](${baseUrl}/docs/errors) says what to do.`,
      table(["Code", "Status", "Cause"], ERROR_CODES.map(errorRow)),
    ),
    blocks("## Response headers", table(["Header", "Meaning"], headers)),
    "## Bodies",
    "Fields may be added at any time: ignore those that you do not know.",
    ...Object.entries(components.schemas).map(([name, schema]) => bodySection(name, schema)),
  );
}

function operationSection(
  { method, path, operation }: ReturnType<typeof operationsOf>[number],
  described: Operation | undefined,
  baseUrl: string,
): string {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } =
    operation;
  const body = Object.values(requestBody?.content ?? {})[0];
  const errors = described === undefined ? {} : errorCodesOf(path, described);
  const sample = sampleRequest(path, operation, baseUrl);
  return blocks(
    `### ${method.toUpperCase()} ${path}`,
    `**${summary}** (${code(operationId)}). ${description}` +
      (security === undefined ? "" : " Needs a [key](#keys).") +
      (canBeOpened(path, sample) ? ` [Open its response](${sample.url} "${NEW_TAB}").` : ""),
    parameters.length === 0 ? null : table(
      ["Parameter", "In", "Values", "Notes"],
      parameters.map((each) => [
        code(each.name),
        each.in,
        typeText(each.schema),
        parameterNotes(each),
      ]),
    ),
    body === undefined ? null : `The request body is ${typeText(body.schema)} as JSON.`,
    fence("sh", curlCommand(sample)),
    ...Object.entries(responses).flatMap(([status, response]) => exampleOf(status, response)),
    table(
      ["Status", "Meaning", "Body"],
      Object.entries(responses).filter(([status]) => errors[status] === undefined)
        .map(([status, response]) => [status, response.description, bodyOf(response)]),
    ),
    `[Errors](#errors): ${
      Object.values(errors).flatMap((codes) => codes ?? []).map(code).join(", ")
    }.`,
  );
}

function errorRow(name: ErrorCode): string[] {
  const { status, cause } = ERRORS[name];
  return [code(name), String(status), cause];
}

/**
 * Whether a browser gets the response by a link: a link carries neither a key nor a body, and a name in the sample's
 * path is that of an example, which this service may not have.
 */
function canBeOpened(path: string, { needsKey, body }: ApiRequest): boolean {
  return !needsKey && body === null && !path.includes("{");
}

function bodyOf({ content = {} }: ResponseObject): string {
  return Object.entries(content).map(([type, { schema }]) =>
    type === "application/json" ? typeText(schema) : code(type)
  ).join(" or ");
}

function exampleOf(status: string, { content = {} }: ResponseObject): string[] {
  if (status !== "200") return [];
  return Object.entries(content).filter(([, { example }]) => example !== undefined)
    .map(([type, { example }]) =>
      typeof example === "string"
        ? fence(`text ${type}`, example.trimEnd())
        : fence("json", JSON.stringify(example, null, 2))
    );
}

function bodySection(name: string, schema: JsonSchema): string {
  const shapes = schema.anyOf ?? [schema];
  return blocks(
    `### ${name}`,
    schema.description ?? "",
    shapes.length > 1 ? `One of ${shapes.length}:` : null,
    ...shapes.map((shape) => {
      const rows = fieldsOf(shape);
      return rows.length === 0 ? null : table(["Field", "Type", "Notes"], rows);
    }),
  );
}

/** A row for each field: name, type and notes. The name of a nested field is a path with dots. */
function fieldsOf(schema: JsonSchema, before = ""): string[][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const optional = required.includes(name) ? "" : "Optional. ";
    const row = [`\`${before}${name}\``, typeText(field), `${optional}${field.description ?? ""}`];
    return [row, ...fieldsOf(field, `${before}${name}.`)];
  });
}

/** The type of a value, in markdown; a named body is a link to its section. */
function typeText(schema: JsonSchema): string {
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
function parameterNotes({ description, schema, required }: ParameterObject): string {
  const byDefault = schema.default === undefined ? "" : ` Default: \`${schema.default}\`.`;
  return `${description}${byDefault}${required ? " Required." : ""}`;
}

function rangeText({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined && maximum === undefined) return "";
  return maximum === undefined ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`;
}

function fence(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``;
}

function code(text: string): string {
  return `\`${text}\``;
}
