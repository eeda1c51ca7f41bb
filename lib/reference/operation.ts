/**
 * What a route says of its operation, and what becomes of that in an OpenAPI 3.1 document: what every
 * operation may refuse, and the recorded answers as examples, are added here.
 */

import { z, type ZodType } from "zod";
import { type ErrorCode, ERRORS } from "../http/mod.ts";
import { type ExampleRequest, recordedAnswer } from "./examples.ts";
import type { GroupName } from "./groups.ts";
import { headerRefs, HEADERS } from "./headers.ts";
import {
  bodyRef,
  errorSchema,
  type JsonSchema,
  providerErrorSchema,
  proxyErrorSchema,
} from "./schemas.ts";

/** A body in one media type. */
interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** What an operation answers with a status. */
export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** A parameter of an operation. */
export interface ParameterObject {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** An operation as the document has it. */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: true;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The operations of an address by their method. */
export type PathItem = Readonly<Partial<Record<"get" | "post", OperationObject>>>;

/** What a route says of its operation: all that is special to it. */
export interface Operation
  extends Pick<OperationObject, "operationId" | "summary" | "description" | "parameters"> {
  readonly group: GroupName;
  readonly needsKey?: boolean;
  /** What is posted; without it the operation is a GET. */
  readonly body?: { readonly schema: ZodType; readonly example: unknown };
  /** What may be refused, besides that this service fails. */
  readonly errors: readonly ErrorCode[];
  /** Whether errors of a provider come down as they are. */
  readonly passesErrors?: boolean;
  /** The answer that is no refusal; its first body gets the recorded answer as its example. */
  readonly answer: {
    readonly description: string;
    /** Besides what every answer has. */
    readonly headers?: readonly string[];
    readonly content: Readonly<Record<string, MediaType>>;
  };
  /** Whether clients keep the answer, and ask by its entity tag whether it still holds. */
  readonly isKept?: boolean;
  /** The operation whose recorded answer is shown, if not this one's. */
  readonly answersAs?: string;
  /** Answers that are neither. */
  readonly otherResponses?: Readonly<Record<number, ResponseObject>>;
}

/** What any answer may be, whatever was asked. */
const ALWAYS = {
  events: ["internal_error"],
  proxy: ["internal_error", "service_unavailable"],
} as const;
const PASSED_ON = new Set([400, 404, 422, 429, 529]);

/** The two halves of the service, whose errors have different bodies (both contracts, section 7). */
type Half = keyof typeof ALWAYS;

const IF_NONE_MATCH: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag of an answer that was kept; 304 if it still holds.",
  schema: { type: "string" },
};
const NOT_MODIFIED: ResponseObject = {
  description: "What was kept still holds.",
  headers: headerRefs("ETag", "Cache-Control", "X-Request-Id"),
};

/** What the document says of an address whose route says this. */
export function pathItem(path: string, described: Operation): PathItem {
  const { operationId, summary, description, group, needsKey, body, isKept } = described;
  const { parameters = [], errors, passesErrors = false } = described;
  const half = /^\/(?:proxy\/|up$)/.test(path) ? "proxy" : "events";
  const codes = new Set<ErrorCode>([
    ...errors,
    ...(needsKey ? ["unauthorized", "forbidden"] as const : []),
    ...ALWAYS[half],
  ]);
  const refusals = Object.groupBy(codes, (code) => ERRORS[code].status);
  const allParameters = [...parameters, ...(isKept ? [IF_NONE_MATCH] : [])];
  const operation: OperationObject = {
    operationId,
    tags: [group],
    summary,
    description,
    ...(needsKey ? { security: [{ bearer: [] }, { apiKey: [] }] } : {}),
    ...(allParameters.length > 0 ? { parameters: allParameters } : {}),
    ...(body === undefined ? {} : {
      requestBody: { required: true, content: json(body.schema, body.example) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, codes = []]) =>
          [status, buildRefusal(codes, half, passesErrors)] as const
        ),
      ),
      200: buildAnswer(described),
      ...(isKept ? { 304: NOT_MODIFIED } : {}),
      ...described.otherResponses,
    },
  };
  return { [body === undefined ? "get" : "post"]: operation };
}

function buildAnswer({ operationId, answersAs, answer, isKept }: Operation): ResponseObject {
  const { description, headers = [], content } = answer;
  const example = recordedAnswer(answersAs ?? operationId);
  const [first, ...others] = Object.entries(content);
  return {
    description,
    headers: headerRefs("X-Request-Id", ...(isKept ? ["ETag", "Cache-Control"] : []), ...headers),
    content: first === undefined || example === undefined
      ? content
      : Object.fromEntries([[first[0], { ...first[1], example }], ...others]),
  };
}

function buildRefusal(
  codes: readonly ErrorCode[],
  half: Half,
  passesErrors: boolean,
): ResponseObject {
  const [first] = codes;
  const status = first === undefined ? 500 : ERRORS[first].status;
  const names = Object.keys(HEADERS).filter((name) => HEADERS[name]?.statuses?.includes(status));
  const common = half === "proxy" ? ["X-Request-Id", "X-Refused-By"] : ["X-Request-Id"];
  const isPassedOn = passesErrors && PASSED_ON.has(status);
  const ours = bodyRef(half === "proxy" ? proxyErrorSchema : errorSchema);
  const example = codes.map((code) => recordedAnswer(`${half} ${code}`))
    .find((each) => each !== undefined);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join(" ") +
      (isPassedOn ? " Or the provider's own error, as it came." : ""),
    headers: headerRefs(...common, ...names),
    content: {
      "application/json": {
        schema: isPassedOn ? { anyOf: [ours, bodyRef(providerErrorSchema)] } : ours,
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

/** The request that an operation's examples make: of its parameters, and of its body. */
export function exampleRequest(
  path: string,
  { parameters = [], requestBody }: OperationObject,
): ExampleRequest {
  const given = parameters.filter(({ example }) => example !== undefined);
  const filled = given.filter((each) => each.in === "path")
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = given.filter((each) => each.in === "query")
    .map(({ name, example }) => `${name}=${example}`).join("&");
  const body = requestBody?.content["application/json"]?.example;
  return {
    path: query === "" ? filled : `${filled}?${query}`,
    ...(body === undefined ? {} : { body }),
  };
}

/** A body of JSON, by a schema that has a name. */
export function json(schema: ZodType, example?: unknown): Record<string, MediaType> {
  return {
    "application/json": { schema: bodyRef(schema), ...(example === undefined ? {} : { example }) },
  };
}

/** A parameter of the query string, from what reads it. */
export function queryParameter(
  name: string,
  parameter: ZodType,
  about: { readonly description: string; readonly default?: unknown; readonly example?: unknown },
): ParameterObject {
  const { description, example } = about;
  const byDefault = about.default === undefined ? {} : { default: about.default };
  return {
    name,
    in: "query",
    description,
    schema: { ...valueSchema(parameter), ...byDefault },
    ...(example === undefined ? {} : { example }),
  };
}

function valueSchema(parameter: ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(parameter);
  // The schema of a parameter has only the members of ours.
  return schema as JsonSchema;
}

/** A parameter of the path, which is always there. */
export function pathParameter(
  name: string,
  about: { readonly description: string; readonly example: string },
): ParameterObject {
  return { name, in: "path", required: true, ...about, schema: { type: "string" } };
}
