/**
 * A route's description of its operation, and the OpenAPI 3.1 operation made from it: the errors that every
 * operation shares and the recorded examples are added here.
 */

import type { ZodType } from "zod";
import { type ErrorCode, ERRORS } from "../../platform/http/errors.ts";
import type { ParameterTable } from "../../platform/parameters.ts";
import answers from "./answers.json" with { type: "json" };
import type { GroupName } from "./internal/groups.ts";
import { headerRefs, HEADERS } from "./headers.ts";
import {
  bodyRef,
  errorSchema,
  type JsonSchema,
  providerErrorSchema,
  proxyErrorSchema,
} from "./schemas.ts";

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** The response of an operation with one status. */
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

/** An operation in the OpenAPI document. */
export type OperationObject = ReturnType<typeof operationObject>;

/** A route's description of its operation. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly ParameterObject[];
  readonly group: GroupName;
  readonly needsKey?: boolean;
  /** The request body; without it the operation is a GET. */
  readonly body?: { readonly schema: ZodType; readonly example: unknown };
  /** The errors that a request may get, besides those of every operation. */
  readonly errors: readonly ErrorCode[];
  /** Whether a provider's errors are passed on unchanged. */
  readonly passesErrors?: boolean;
  /** The successful response; its first media type gets the recorded response as its example. */
  readonly answer: {
    readonly description: string;
    /** The headers beyond those of every response. */
    readonly headers?: readonly string[];
    readonly content: Readonly<Record<string, MediaType>>;
  };
  /** Whether the response to a GET is always made anew; clients cache others, and revalidate them by their entity tags. */
  readonly isUncached?: boolean;
  /** Responses that are neither the success nor an error. */
  readonly otherResponses?: Readonly<Record<number, ResponseObject>>;
}

/** The errors that any request to each half of the service may get; their bodies differ. */
const ALWAYS = {
  events: ["internal_error"],
  proxy: ["internal_error", "service_unavailable"],
} as const;
const PASSED_ON = new Set([400, 404, 422, 429, 529]);

const IF_NONE_MATCH: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  description: "The ETag of a cached response; the status is 304 if that is still current.",
  schema: { type: "string" },
};
const NOT_MODIFIED: ResponseObject = {
  description: "The cached response is still current.",
  headers: headerRefs("ETag", "Cache-Control", "X-Request-Id"),
};

/** The operations of an address, from its route's description. */
export function pathItem(
  path: string,
  described: Operation,
): Readonly<Partial<Record<"get" | "post", OperationObject>>> {
  return { [described.body === undefined ? "get" : "post"]: operationObject(path, described) };
}

function operationObject(path: string, described: Operation) {
  const { operationId, summary, description, group, needsKey, body } = described;
  const isCached = isCachedByClients(described);
  const errors = Object.entries(errorCodesOf(path, described));
  const parameters = [...described.parameters ?? [], ...(isCached ? [IF_NONE_MATCH] : [])];
  const responses: Readonly<Record<string, ResponseObject>> = {
    ...Object.fromEntries(
      errors.map(([status, codes = []]) =>
        [status, errorResponse(Number(status), codes, path, described.passesErrors)] as const
      ),
    ),
    200: successResponse(described),
    ...isCached && { 304: NOT_MODIFIED },
    ...described.otherResponses,
  };
  return {
    operationId,
    tags: [group] as const,
    summary,
    description,
    ...needsKey && { security: [{ bearer: [] }, { apiKey: [] }] },
    ...parameters.length > 0 && { parameters },
    ...body !== undefined &&
      { requestBody: { required: true, content: json(body.schema, body.example) } },
    responses,
  };
}

/** The error codes of an operation by status, without the statuses that have another response. */
export function errorCodesOf(
  path: string,
  { errors, needsKey, otherResponses = {} }: Operation,
): Partial<Record<string, ErrorCode[]>> {
  const ofKey = needsKey ? ["unauthorized", "forbidden"] as const : [];
  const codes = new Set<ErrorCode>([...errors, ...ofKey, ...ALWAYS[halfOf(path)]]);
  const own = [...codes].filter((code) => otherResponses[ERRORS[code].status] === undefined);
  return Object.groupBy(own, (code) => ERRORS[code].status);
}

const RECORDED: Readonly<Record<string, unknown>> = answers;

/**
 * The recorded response to an operation's example, by the operation's id, or to an error's, by the half of the
 * service and the code: JSON as a value, other types as text, a stream as its last event. A test repeats the requests
 * on a service over the stand-ins and compares; with `FOYER_RECORD_EXAMPLES` set it records the responses again.
 */
export function recordedAnswer(name: string): unknown {
  return RECORDED[name];
}

function isCachedByClients({ body, isUncached = false }: Operation): boolean {
  return body === undefined && !isUncached;
}

function halfOf(path: string): keyof typeof ALWAYS {
  return /^\/(?:proxy\/|up$)/.test(path) ? "proxy" : "events";
}

function successResponse(described: Operation): ResponseObject {
  const { operationId, answer: { description, headers = [], content } } = described;
  const ofCache = isCachedByClients(described) ? ["ETag", "Cache-Control"] : [];
  const example = recordedAnswer(operationId);
  return {
    description,
    headers: headerRefs("X-Request-Id", ...ofCache, ...headers),
    content: Object.fromEntries(
      Object.entries(content).map(([type, media], at) =>
        [type, at === 0 ? { ...media, example } : media] as const
      ),
    ),
  };
}

function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  path: string,
  passesErrors = false,
): ResponseObject {
  const half = halfOf(path);
  const names = Object.keys(HEADERS).filter((name) => HEADERS[name]?.statuses.includes(status));
  const common = half === "proxy" ? ["X-Request-Id", "X-Refused-By"] : ["X-Request-Id"];
  const isPassedOn = passesErrors && PASSED_ON.has(status);
  const ours = bodyRef(half === "proxy" ? proxyErrorSchema : errorSchema);
  const schema = isPassedOn ? { anyOf: [ours, bodyRef(providerErrorSchema)] } : ours;
  const example = codes.map((code) => recordedAnswer(`${half} ${code}`))
    .find((each) => each !== undefined);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join(" ") +
      (isPassedOn ? " Or the provider's own error, passed on unchanged." : ""),
    headers: headerRefs(...common, ...names, ...passesErrors ? ["X-Cost-Usd"] : []),
    content: {
      "application/json": { schema, example },
      ...isBesidePages(path) && PAGES,
    },
  };
}

/** The body of an error for a caller that prefers a page, at an address beside pages. */
const PAGES = {
  "text/html": { schema: { type: "string" } },
  "text/markdown": { schema: { type: "string" } },
} as const;

function isBesidePages(path: string): boolean {
  return !/^\/(?:api|proxy)\/|^\/up$/.test(path);
}

/** A request to this service. */
export interface ApiRequest {
  readonly url: string;
  readonly needsKey: boolean;
  /** The JSON of a POST; null for a GET. */
  readonly body: string | null;
}

/** The request that the examples of an operation's parameters and body make; parameters without one are left out. */
export function sampleRequest(
  path: string,
  { parameters = [], requestBody, security }: OperationObject,
  baseUrl: string,
): ApiRequest {
  const examples = new Map(parameters.map(({ name, example = "" }) => [name, String(example)]));
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name) => examples.get(name) ?? "");
  const query = parameters.filter((each) => each.in === "query" && examples.get(each.name) !== "")
    .map(({ name }) => `${name}=${examples.get(name)}`).join("&");
  const body = requestBody?.content["application/json"]?.example;
  return {
    url: baseUrl + (query === "" ? filled : `${filled}?${query}`),
    needsKey: security !== undefined,
    body: body === undefined ? null : JSON.stringify(body, null, 2),
  };
}

/** The request as a shell command. The key is a shell variable, so that copying the command reveals no key. */
export function curlCommand({ url, needsKey, body }: ApiRequest): string {
  const lines = [`curl "${url}"`];
  if (needsKey) lines.push(`-H "Authorization: Bearer $FOYER_KEY"`);
  if (body !== null) {
    lines.push(`-H "Content-Type: application/json"`, `-d '${body.replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(" \\\n  ");
}

/** A JSON body; its schema has a name. */
export function json(schema: ZodType, example?: unknown): Record<string, MediaType> {
  return { "application/json": { schema: bodyRef(schema), example } };
}

/** The reference's text about a parameter; the example is part of the operation's sample request. */
interface About {
  readonly description: string;
  readonly default?: unknown;
  readonly example?: unknown;
}

/** Query parameters in the order of what is said about them, with the definitions that parse them. */
export function queryParameters<P extends ParameterTable>(
  definitions: P,
  about: { readonly [Name in keyof P]?: About },
): ParameterObject[] {
  return Object.entries<About | undefined>(about).flatMap(([name, said]) => {
    const schema = definitions[name]?.schema;
    if (schema === undefined || said === undefined) return [];
    const { description, default: byDefault, example } = said;
    return [{
      name,
      in: "query" as const,
      description,
      schema: byDefault === undefined ? schema : { ...schema, default: byDefault },
      example,
    }];
  });
}

/** A path parameter; it is always required. */
export function pathParameter(
  name: string,
  about: { readonly description: string; readonly example: string },
): ParameterObject {
  return { name, in: "path", required: true, ...about, schema: { type: "string" } };
}
