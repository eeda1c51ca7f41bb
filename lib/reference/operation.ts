/** The parts of an OpenAPI 3.1 document, and how an operation is put together from what is special to it. */

import { type ErrorCode, ERRORS } from "../http/errors.ts";
import type { Parameter as QueryParameter } from "../http/query.ts";
import { refusalExample } from "./examples.ts";
import { headerRefs, HEADERS } from "./headers.ts";
import { type BodyName, bodyRef, type JsonSchema } from "./schemas.ts";

/** A body in one media type. */
export interface MediaType {
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

/** What is special to an operation. */
export interface Special extends Omit<OperationObject, "security" | "requestBody"> {
  readonly needsKey?: boolean;
  readonly body?: { readonly name: BodyName; readonly example: unknown };
  /** What may be refused, besides that this service fails. */
  readonly errors: readonly ErrorCode[];
  /** Under `/api`, or under `/proxy` and on `/up`. */
  readonly half: "events" | "proxy";
  /** Whether errors of a provider come down as they are. */
  readonly passesErrors?: boolean;
}

/** What any answer may be, whatever was asked. */
const ALWAYS = {
  events: ["internal_error"],
  proxy: ["internal_error", "service_unavailable"],
} as const;
const PASSED_ON = new Set([400, 404, 422, 429, 529]);

/** An operation with its errors, its key and its body. */
export function operation(special: Special): OperationObject {
  const { needsKey, body, errors, half, passesErrors, responses, ...rest } = special;
  const codes = new Set<ErrorCode>([
    ...errors,
    ...(needsKey ? ["unauthorized", "forbidden"] as const : []),
    ...ALWAYS[half],
  ]);
  const refusals = Object.groupBy(codes, (code) => ERRORS[code].status);
  return {
    ...rest,
    ...(needsKey ? { security: [{ bearer: [] }, { apiKey: [] }] } : {}),
    ...(body === undefined ? {} : {
      requestBody: { required: true, content: json(body.name, body.example) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, codes = []]) =>
          [status, buildRefusal(codes, half, passesErrors === true)] as const
        ),
      ),
      ...responses,
    },
  };
}

function buildRefusal(
  codes: readonly ErrorCode[],
  half: Special["half"],
  passesErrors: boolean,
): ResponseObject {
  const [first] = codes;
  const status = first === undefined ? 500 : ERRORS[first].status;
  const names = Object.keys(HEADERS).filter((name) => HEADERS[name]?.statuses?.includes(status));
  const common = half === "proxy" ? ["X-Request-Id", "X-Refused-By"] : ["X-Request-Id"];
  const isPassedOn = passesErrors && PASSED_ON.has(status);
  const ours = bodyRef(half === "proxy" ? "ProxyError" : "Error");
  const example = codes.map((code) => refusalExample(half, code)).find((each) =>
    each !== undefined
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join(" ") +
      (isPassedOn ? " Or the provider's own error, as it came." : ""),
    headers: headerRefs(...common, ...names),
    content: {
      "application/json": {
        schema: isPassedOn ? { anyOf: [ours, bodyRef("ProviderError")] } : ours,
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

/** A body of JSON. */
export function json(name: BodyName, example: unknown): Record<string, MediaType> {
  return { "application/json": { schema: bodyRef(name), example } };
}

/** A parameter of the query string, from what reads it. */
export function queryParameter(
  name: string,
  parameter: QueryParameter,
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

function valueSchema(parameter: QueryParameter): JsonSchema {
  if (parameter.kind === "integer") {
    return { type: "integer", minimum: parameter.min, maximum: parameter.max };
  }
  const one = { type: "string", enum: parameter.allowed };
  return parameter.kind === "one" ? one : { type: "array", items: one };
}

/** What asks whether a kept answer still holds. */
export const IF_NONE_MATCH: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag of an answer that was kept; 304 if it still holds.",
  schema: { type: "string" },
};

/** The answer to whoever has the representation. */
export const NOT_MODIFIED: ResponseObject = {
  description: "What was kept still holds.",
  headers: headerRefs("ETag", "Cache-Control", "X-Request-Id"),
};
