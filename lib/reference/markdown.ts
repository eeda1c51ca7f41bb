/**
 * The reference as markdown, from nothing but the OpenAPI document; its page is made of the same text, from
 * whose headings, tables and samples `rendered.ts` makes forms.
 */

import { blocks, list, table } from "../documents/mod.ts";
import { curlCommand } from "./curl.ts";
import { fieldsOf, typeText } from "./fields.ts";
import type { OpenApi } from "./openapi.ts";
import {
  exampleRequest,
  type OperationObject,
  type ParameterObject,
  type ResponseObject,
} from "./operation.ts";
import type { JsonSchema } from "./schemas.ts";

/** Renders the document: a section for each address, at an anchor such as `#get-api-v1-events`. */
export function referenceMarkdown(openApi: OpenApi): string {
  const { info, servers: [server], tags, paths, components } = openApi;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
  );
  const groups = tags.map(({ name, description }) =>
    blocks(
      `## ${name}`,
      description,
      ...operations.filter(({ operation }) => operation.tags[0] === name)
        .map((each) => operationSection(each.method, each.path, each.operation, server?.url ?? "")),
    )
  );
  return blocks(
    "# API reference",
    `${info.summary} Made from [openapi.json](${server?.url}/api/v1/openapi.json), version ${info.version}.`,
    info.description,
    ...groups,
    blocks("## Keys", list(Object.values(components.securitySchemes).map(schemeText))),
    blocks(
      "## Headers of answers",
      table(
        ["header", "says"],
        Object.entries(components.headers).map((
          [name, { description }],
        ) => [code(name), description]),
      ),
    ),
    "## Bodies",
    "A field that is not named here may come at any time: pass over what you do not know.",
    ...Object.entries(components.schemas).map(([name, schema]) => bodySection(name, schema)),
  );
}

function operationSection(
  method: string,
  path: string,
  operation: OperationObject,
  baseUrl: string,
): string {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } =
    operation;
  const body = Object.values(requestBody?.content ?? {})[0];
  return blocks(
    `### ${method.toUpperCase()} ${path}`,
    `**${summary}** (${code(operationId)}). ${description}` +
      (security === undefined ? "" : " Needs a [key](#keys)."),
    parameters.length === 0
      ? null
      : table(["parameter", "in", "values", "notes"], parameters.map(parameterRow)),
    body === undefined ? null : `Takes ${typeText(body.schema)} as JSON.`,
    sample(path, operation, baseUrl),
    ...Object.entries(responses).flatMap(([status, response]) => exampleOf(status, response)),
    table(
      ["status", "means", "body", "headers"],
      Object.entries(responses).map(([status, response]) => responseRow(status, response, baseUrl)),
    ),
  );
}

function parameterRow(parameter: ParameterObject): string[] {
  const { name, in: place, required, description, schema } = parameter;
  const byDefault = schema.default === undefined
    ? ""
    : ` Default: ${code(String(schema.default))}.`;
  return [
    code(name),
    place,
    typeText(schema),
    `${description}${byDefault}${required ? " Required." : ""}`,
  ];
}

function responseRow(
  status: string,
  { description, headers = {}, content = {} }: ResponseObject,
  baseUrl: string,
): string[] {
  // The document of the errors says what each code means.
  const codes = [...description.matchAll(/`(\w+)`:/g)]
    .map(([, name]) => `[${code(String(name))}](${baseUrl}/docs/errors#${name})`);
  const bodies = Object.entries(content).map(([type, { schema }]) =>
    type === "application/json" ? typeText(schema) : code(type)
  );
  return [
    status,
    codes.length === 0 ? description : codes.join(", "),
    bodies.join(" or "),
    Object.keys(headers).map(code).join(", "),
  ];
}

/** The request of the operation's example, as a shell command. */
function sample(path: string, operation: OperationObject, baseUrl: string): string {
  const request = exampleRequest(path, operation);
  const command = curlCommand({
    url: `${baseUrl}${request.path}`,
    needsKey: operation.security !== undefined,
    body: request.body === undefined ? null : JSON.stringify(request.body, null, 2),
  });
  return fence("sh", command);
}

/** What was answered; refusals have a place of their own. */
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
      return rows.length === 0 ? null : table(["field", "type", "notes"], rows);
    }),
  );
}

function schemeText(scheme: Readonly<Record<string, string>>): string {
  const header = scheme["name"] === undefined
    ? code("Authorization: Bearer <key>")
    : code(`${scheme["name"]}: <key>`);
  return `${header}: ${scheme["description"]}`;
}

function fence(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``;
}

function code(text: string): string {
  return `\`${text}\``;
}
