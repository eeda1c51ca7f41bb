/**
 * The Model Context Protocol (modelcontextprotocol.io) over Streamable HTTP, without sessions. The official package
 * speaks it, with a server for each message. A tool's call goes to the handler of its operation, or to the proxy.
 */

import type { CallToolResult, Server, ServerContext } from "@modelcontextprotocol/server";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Context } from "fresh";
import { z } from "zod";
import type { EndpointName } from "../proxy/proxy.ts";
import { parseRequestJson, requireBounds } from "../proxy/request_json.ts";
import { cutAddress } from "../platform/address.ts";
import { createResponse } from "../platform/http/representation.ts";
import { createBodyReader, readBounded } from "../platform/http/body.ts";
import { createHold, inStream } from "../platform/http/wire.ts";
import { errorInWords, isBusy, PublicError, toPublicError } from "../platform/http/errors.ts";
import type { Handler } from "../platform/http/methods.ts";
import { isObject, type JsonObject, jsonTypeOf, parseJson } from "../platform/json.ts";
import { memoize } from "../platform/memoize.ts";
import { yieldToLoop } from "../platform/timeout.ts";
import { countRefused } from "../platform/metrics.ts";
import { nearestName } from "../platform/nearest.ts";
import { VERSION } from "./reference/openapi.ts";
import type { Operation } from "./reference/operation.ts";
import type { State } from "./state.ts";

/** A tool: an operation of the API, by whose words and schemas it is described. */
export type Tool = (OwnTool | ForwardedTool) & {
  readonly name: string;
  readonly operation: Omit<Operation, "operationId" | "group" | "errors" | "answer">;
  /** The schema of the operation's JSON; none where a provider decides, since clients throw away what breaks one. */
  readonly output?: z.ZodType;
  /** The operation's JSON as text for a model; the JSON itself unless given. */
  // deno-lint-ignore no-explicit-any -- each tool knows the JSON of its own operation
  readonly toText?: (value: any, state: State) => string | Promise<string>;
};

interface OwnTool {
  /** The operation's address, such as `/api/v1/events/{idOrSlug}`. */
  readonly path: string;
  readonly handler: Handler<State>;
  readonly endpoint?: never;
}

interface ForwardedTool {
  /** The endpoint that calls are forwarded to. A key whose `endpoints` lack it does not see the tool. */
  readonly endpoint: EndpointName;
}

/** A page of the site, which clients read as markdown, by the address of that. */
export interface Page {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly markdown: () => string;
}

/** A schema, as the package's type for JSON has it. */
// deno-lint-ignore no-explicit-any -- the package's type excludes read-only lists
type Json = any;
type Package = typeof import("@modelcontextprotocol/server");

/** The largest message of a caller without a key. */
const MAX_PUBLIC_BYTES = 16 * 1024;
const PAGES_AT_ONCE = 100;
/** The largest response of an operation that becomes a result; no model reads as much. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const KEY_HEADERS = ["authorization", "x-api-key"] as const;
const STREAM = "text/event-stream";
/** The members of `params` and `_meta` that the package reads, with their types; arguments never reach it. */
const PARAMS = /^(?:name|uri|cursor|protocolVersion) string$/;
const META = /^(?:progressToken (?:string|number)$|io\.modelcontextprotocol\/)/;
/** Members that the package requires in some messages: without them it reports an internal error. */
const CLIENT = { protocolVersion: "", capabilities: {}, clientInfo: { name: "", version: "" } };
/** The longest JSON of a message without its arguments, which the package checks slowly, in characters. */
const MAX_MEMBERS_LENGTH = 4_096;
/** The most values of a message. A megabyte of small ones takes most of a second, and V8 frees a large map late. */
const MAX_VALUES = 2_500;
/** The longest text that is read as JSON. No model writes a longer one by hand. */
const MAX_TEXT_LENGTH = 64 * 1024;
/** In a call with more arguments, an unknown one is neither a typo nor meant for the provider. */
const MAX_ARGUMENTS = 50;
let lastTurn = Promise.resolve();
/** Each message, and each result that no provider sends, has its own turn: others wait for one at most. */
const ownTurn = () => lastTurn = lastTurn.then(() => yieldToLoop(0));

/**
 * Answers a message.
 *
 * @throws {PublicError} what refuses a request before its message is understood: `forbidden` for its host,
 *   `unauthorized` or `forbidden` for its key, and the errors of a body.
 */
export async function answerMcp(
  ctx: Context<State>,
  tools: readonly Tool[],
  pages: () => Promise<readonly Page[]>,
): Promise<Response> {
  const { req: request, state: { requestId, notes, services } } = ctx;
  const { config, proxy, startLimit: startTimer } = services;
  // A start needs none of the package.
  const sdk = await import("@modelcontextprotocol/server");
  requireHost(request, config.BASE_URL, sdk);
  const hasKey = KEY_HEADERS.some((name) => request.headers.get(name));
  const reader = createBodyReader({ maxBytes: MAX_PUBLIC_BYTES, startTimer });
  const parse = (bytes: Uint8Array<ArrayBuffer>) => parseMessage(bytes, tools);
  const { message, endpoints } = hasKey
    ? await proxy.readMessage({ request, requestId, notes }, parse)
    : { message: await parse(await reader(request)), endpoints: null };
  // The log line of a call that may be charged is written when its stream, and the call itself, are over.
  const sent: Promise<void> = ctx.info.completed.catch(() => {})
    .then(() => notes.callOver === sent ? undefined : notes.callOver);
  if (hasKey) notes.callOver = sent;
  const { url, method, signal } = request;
  const headers = new Headers(request.headers);
  headers.set("accept", `application/json, ${STREAM}`);
  const invalid = (fault: string) => new sdk.ProtocolError(sdk.INVALID_PARAMS, fault);
  /** The server of this message alone. */
  function createServer(): Server {
    const { SITE_NAME: name, BASE_URL: websiteUrl } = config;
    const server = new sdk.Server({ name, websiteUrl, version: VERSION }, {
      capabilities: { tools: {}, resources: {} },
      instructions: `The events and documents of ${name}; with a member's key, web search too.`,
    });
    server.setRequestHandler("tools/list", () => ({
      tools: tools.filter(({ operation, endpoint }) =>
        operation.needsKey !== true || endpoints === "all" ||
        endpoints !== null && (endpoint === undefined || endpoints.includes(endpoint))
      ).map(describe),
    }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      if (message.tool) return await callTool(message.tool, message.args, ctx, context);
      throw invalid(`There is no tool ${params.name}.`);
    });
    server.setRequestHandler("resources/list", async ({ params: { cursor = "0" } = {} }) => {
      const all = await pages();
      const end = Number(cursor) + PAGES_AT_ONCE;
      if (!/^\d{1,9}$/.test(cursor)) throw invalid("The cursor is none of this list's.");
      const resources = all.slice(Number(cursor), end).map(({ markdown: _, ...page }) => (
        { ...page, mimeType: "text/markdown" }
      ));
      return { resources, ...end < all.length && { nextCursor: String(end) } };
    });
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      const page = (await pages()).find((each) => each.uri === uri);
      if (page === undefined) throw new sdk.ResourceNotFoundError(uri);
      return { contents: [{ uri, mimeType: "text/markdown", text: page.markdown() }] };
    });
    return server;
  }
  const response = await sdk.createMcpHandler(createServer, { maxSubscriptions: 0 })
    .fetch(new Request(url, { method, headers, signal }), message);
  // A client that does not name streams, such as curl, gets JSON: the last event is the answer.
  if (!isStream(response) || request.headers.get("accept")?.includes(STREAM)) return response;
  let answer = "";
  for await (const { data } of eventsOf(response)) answer = data || answer;
  return await inStream(createResponse(answer, { "content-type": "application/json" }));
}

/**
 * Parses a message: the members that the package reads, its tool, and its arguments.
 *
 * @throws {PublicError} `bad_request` if it is no message, or exceeds a bound.
 */
async function parseMessage(bytes: Uint8Array<ArrayBuffer>, tools: readonly Tool[]) {
  await ownTurn();
  const { jsonrpc, id, method, ...message } = parseRequestJson(bytes, MAX_VALUES);
  const given = objectOf(message, "params");
  const _meta = chosenOf(objectOf(given, "_meta"), META);
  const params = { uri: "", ...CLIENT, ...chosenOf(given, PARAMS), _meta };
  if (JSON.stringify([id, method, params]).length > MAX_MEMBERS_LENGTH) {
    throw new PublicError("bad_request", "The message is too long without its arguments.", {
      hint: `It may have ${MAX_MEMBERS_LENGTH} characters without them.`,
    });
  }
  const tool = tools.find(({ name }) => name === given["name"]);
  return {
    parsedBody: { jsonrpc, ...id !== undefined && { id }, method, params },
    tool,
    args: tool ? argumentsOf(tool, objectOf(given, "arguments")) : {},
  };
}

/** A member that is an object, or the text of one; `{}` for none or null. */
function objectOf(parent: JsonObject, name: string): JsonObject {
  const value = coerce(parent[name] ?? {}, { type: "object" });
  if (isObject(value)) return value;
  throw new PublicError("bad_request", `The message's ${name} must be an object, such as {}.`);
}

const chosenOf = (from: JsonObject, members: RegExp) =>
  Object.fromEntries(
    Object.entries(from).filter(([name, value]) => members.test(`${name} ${jsonTypeOf(value)}`)),
  );

/**
 * Refuses a page that reaches this server by another name (DNS rebinding), as the protocol demands where there is an
 * `Origin`. Pages of any origin may call the public address, as they may call the API: only a key opens more.
 */
function requireHost({ url, headers }: Request, baseUrl: string, sdk: Package): void {
  if (headers.get("origin") === null) return;
  const names = [new URL(baseUrl).hostname, ...sdk.localhostAllowedHostnames()];
  // HTTP/2 has no `Host`, but an authority.
  if (sdk.validateHostHeader(headers.get("host") ?? cutAddress(url).host, names).ok) return;
  throw new PublicError("forbidden", "A page may not call this service by another name.", {
    hint: `Send the request to ${baseUrl}/mcp.`,
  });
}

/** A tool as the protocol describes it. */
const describe = memoize(({ name, operation, output }: Tool) => {
  const { summary: title, description, parameters = [], body, needsKey } = operation;
  const inputSchema = body ? schemaOf(body.schema) : {
    type: "object" as const,
    properties: Object.fromEntries<Json>(
      parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
  return {
    name,
    title,
    description: body ? `${description} Example: ${JSON.stringify(body.example)}` : description,
    inputSchema,
    ...output && { outputSchema: schemaOf(output) },
    annotations: { readOnlyHint: true, openWorldHint: needsKey === true },
  };
});

const withoutId = (each: z.ZodType) => ({ ...z.globalRegistry.get(each), id: undefined });
/** A schema without references and lists of types, nor alternatives but null: clients lose the parameters of others. */
function schemaOf(schema: z.ZodType) {
  const { $schema: _, ...whole }: Json = z.toJSONSchema(schema, {
    io: "input",
    // A schema with an id would become a reference.
    metadata: Object.assign(z.registry<Json>(), { get: withoutId }),
    override({ jsonSchema: each }) {
      if (Array.isArray(each.type)) delete each.type;
      if (each.anyOf?.every(({ type }) => type !== "null")) delete each.anyOf;
    },
  });
  return { ...whole, type: "object" as const };
}

/** Calls a tool. A refused request is a result that says what to do, since a model can act on it. */
async function callTool(
  tool: Tool,
  args: JsonObject,
  ctx: Context<State>,
  { mcpReq: { signal, _meta, notify } }: ServerContext,
): Promise<CallToolResult> {
  const { req, state, state: { requestId, notes, services: { config, proxy, log } } } = ctx;
  const progressToken = _meta?.progressToken;
  let progress = 0;
  const report = async (message: string) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress: ++progress, message };
    await notify({ method: "notifications/progress", params });
  };
  const isPublic = !tool.operation.needsKey;
  // Only `answer` can stream. It does for a client that asks for progress.
  const stream = tool.endpoint === "answer" && { stream: progressToken !== undefined };
  const headers = KEY_HEADERS.map((name): [string, string] => [name, req.headers.get(name) ?? ""]);
  try {
    const given: JsonObject = { ...args, ...stream };
    const { idOrSlug = "", ...query } = given;
    const address = tool.endpoint ? "" : `${tool.path}?${queryOf(query)}`;
    const request = new Request(config.BASE_URL + address, { headers, signal });
    // The handlers of operations call nothing of a context.
    const inner = { ...ctx, params: { idOrSlug: writtenOf(idOrSlug) }, req: request };
    const response = tool.endpoint
      ? await proxy.forward(tool.endpoint, { request, requestId, notes }, given)
      : await tool.handler(inner as unknown as typeof ctx);
    if (isPublic) await ownTurn();
    const text = await textOf(response, report);
    const refused = `The provider refused the request with ${response.status}: ${text}`;
    if (!response.ok) return failed(refused, response.headers.get("retry-after"));
    // Answers that need a key are bounded with their requests.
    if (isPublic) createHold(text.length)(ctx.info);
    const structuredContent = parseJson(text);
    const shown = await tool.toText?.(structuredContent, state) ?? text;
    const content = [shown, response.headers.get("x-spending-warning")]
      .filter((text) => text !== null).map((text) => ({ type: "text" as const, text }));
    return { content, ...isObject(structuredContent) && { structuredContent } };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toPublicError(thrown);
    const { code, message, status, cause } = error;
    notes.code = code;
    countRefused(code, "/mcp");
    if (status >= 500 && !isBusy(error)) log.error(message, { requestId, code, cause });
    return failed(errorInWords(error), error.headers["retry-after"]);
  }
}

/**
 * The arguments as models mean them: null, and a list or text without content, is what is not given, and has its default.
 * An unknown one is dropped, since clients add their own, unless it is likely a typo, which the operation then refuses.
 */
function argumentsOf(tool: Tool, args: JsonObject): JsonObject {
  const { properties } = describe(tool).inputSchema;
  const names = Object.keys(properties);
  // The body of a request may have any member, and its provider has the defaults.
  const isQuery = tool.operation.body === undefined;
  const all = Object.keys(args);
  const asked = all.filter((name) =>
    names.includes(name) || all.length <= MAX_ARGUMENTS &&
      (!isQuery || (nearestName(name.slice(0, 40).toLowerCase(), names)?.edits ?? 3) <= 2)
  );
  const defaults = isQuery ? names.map((name) => [name, properties[name].default]) : [];
  const given = asked.map((name) => [name, coerce(args[name], properties[name] ?? {})] as const)
    .filter(([name, value]) =>
      !isQuery && properties[name]?.type !== "array" ||
      [value].flat().some((each) => (each ?? "") !== "")
    );
  const entries = [...defaults, ...given].filter(([, value]) => (value ?? null) !== null);
  return Object.fromEntries(entries);
}

/**
 * Converts a value to the type of its schema. Models write "3" for 3, the JSON of a list or an object for that, and an
 * item for a list of one.
 *
 * @throws {PublicError} `bad_request` for JSON that exceeds the bounds of a message.
 */
function coerce(value: unknown, { type }: Json): unknown {
  if (type === undefined || value === null) return value;
  if (type === "string") return typeof value === "number" ? String(value) : value;
  const isShort = typeof value === "string" && value.length <= MAX_TEXT_LENGTH;
  if (isShort) requireBounds(new TextEncoder().encode(value), MAX_VALUES);
  // Models also write `True`.
  const read = isShort ? parseJson(type === "boolean" ? value.toLowerCase() : value) : value;
  if (jsonTypeOf(read) === (type === "integer" ? "number" : type)) return read;
  return type === "array" && value !== "" ? [value] : value;
}

/** The text of a value in a query. `String(value)` would call a member `toString` of the value. */
const writtenOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);
const queryOf = (args: JsonObject) =>
  new URLSearchParams(
    Object.entries(args)
      .flatMap(([name, value]) => [value].flat().map((each) => [name, writtenOf(each)])),
  );

/**
 * Reads the JSON of a response. The parts of a streamed one are reported, and become the JSON of a whole response.
 *
 * @throws {PublicError} `upstream_error` for a response that is too long or cut off.
 */
async function textOf(response: Response, report: (text: string) => Promise<void>) {
  try {
    if (!isStream(response)) {
      return new TextDecoder().decode(await readBounded(response.body, MAX_ANSWER_BYTES, tooLong));
    }
    let [answer, rest] = ["", {}];
    for await (const { data } of eventsOf(response, { maxBufferSize: MAX_ANSWER_BYTES })) {
      if (data === "[DONE]") continue;
      const { choices, citations, costDollars } = JSON.parse(data);
      rest = { ...rest, ...citations && { citations }, ...costDollars && { costDollars } };
      const text: unknown = choices?.[0]?.delta?.content;
      if (typeof text !== "string") continue;
      answer += text;
      if (answer.length > MAX_ANSWER_BYTES) throw tooLong();
      await report(text);
    }
    return JSON.stringify({ answer, ...rest });
  } catch (cause) {
    if (cause instanceof PublicError) throw cause;
    const hint = "The tool usage shows what it cost. Try again later.";
    throw new PublicError("upstream_error", "The response was cut off.", { hint, cause });
  }
}

function tooLong(): PublicError {
  return new PublicError("upstream_error", `The response has over ${MAX_ANSWER_BYTES} bytes.`, {
    hint: "It was charged. Ask for fewer results, or for less text of each.",
  });
}

const isStream = ({ headers }: Response) =>
  headers.get("content-type")?.startsWith(STREAM) === true;

function eventsOf({ body }: Response, limits?: { maxBufferSize: number }) {
  const decoded = body?.pipeThrough(new TextDecoderStream());
  return decoded?.pipeThrough(new EventSourceParserStream(limits)) ?? [];
}

function failed(text: string, retryAfter?: string | null): CallToolResult {
  const shown = retryAfter ? `${text}\nRetry-After: ${retryAfter}` : text;
  return { content: [{ type: "text", text: shown }], isError: true };
}
