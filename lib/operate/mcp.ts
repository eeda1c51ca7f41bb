/**
 * The Model Context Protocol (modelcontextprotocol.io) over Streamable HTTP, without sessions. The official package
 * speaks it, with a server for each message; a tool's call is a request to this service's API.
 */

import type { CallToolResult, Server, ServerContext } from "@modelcontextprotocol/server";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Context } from "fresh";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { EndpointName, Endpoints } from "../proxy/mod.ts";
import { createResponse, type HeaderFields } from "../platform/http/representation.ts";
import { joinBytes } from "../platform/bytes.ts";
import { createBodyReader, readBounded } from "../platform/http/body.ts";
import { isBusy, PublicError, toPublicError } from "../platform/http/errors.ts";
import type { Handler } from "../platform/http/methods.ts";
import { isObject } from "../platform/json.ts";
import { memoize } from "../platform/memoize.ts";
import { countRefused } from "../platform/metrics.ts";
import { VERSION } from "./reference/openapi.ts";
import type { Operation } from "./reference/operation.ts";
import type { State } from "./state.ts";

/** A tool: an operation of the API, by whose words and schemas it is described. */
export interface Tool {
  readonly name: string;
  /** The operation's address, such as `/api/v1/events/{idOrSlug}`. */
  readonly path: string;
  readonly operation: Pick<
    Operation,
    "summary" | "description" | "parameters" | "body" | "needsKey"
  >;
  readonly handler: Handler<State>;
  /** The schema of the operation's JSON. */
  readonly output: z.ZodType;
  /** The name in usage records, by which a key's `endpoints` exclude the tool. */
  readonly endpoint?: EndpointName;
  /** The arguments that a caller does not give. */
  readonly defaults?: Arguments;
  /** Whether the answer depends on the events and the day alone. */
  readonly isKept?: boolean;
  /** Whether the operation streams; a call does if the client asks for progress. */
  readonly isStream?: boolean;
  /** The operation's JSON as text for a model; the JSON itself unless given. */
  // deno-lint-ignore no-explicit-any -- each tool knows the JSON of its own operation
  readonly toText?: (value: any, state: State) => string | Promise<string>;
}

/** A page of the site, which clients read as markdown. */
export interface Page {
  /** The address of its markdown. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly markdown: () => string;
}

type Sdk = typeof import("@modelcontextprotocol/server");
/** A schema, as the package's type for JSON has it. */
// deno-lint-ignore no-explicit-any -- the package's type excludes read-only lists
type Json = any;
type Parsed = Readonly<Record<"jsonrpc" | "id" | "method", unknown>> & {
  readonly params?: { readonly name?: unknown };
};
type Arguments = Readonly<Record<string, unknown>>;

/** The largest message of a caller without a key. */
const MAX_PUBLIC_BYTES = 16 * 1024;
const PAGES_AT_ONCE = 100;
/** The largest response of an operation that becomes a result; no model reads as much. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const PARSER = { maxBufferSize: MAX_ANSWER_BYTES };
const encoder = new TextEncoder();
/** Answers that are kept of one snapshot. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** The memory for a message is bounded by its size alone. */
const UNHELD = { hold() {}, beforeWaiting: () => Promise.resolve() };
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
/** What decides how the package answers, besides the message. */
const PROTOCOL_HEADERS = ["accept", "mcp-protocol-version", "mcp-method", "mcp-name"];
const KEY_HEADERS = ["authorization", "x-api-key"] as const;
/** JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32_602;

/** The answer to a message, without the message's id between its two parts. */
interface KeptAnswer {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly status: number;
  readonly headers: HeaderFields;
  /** The last response. Clients count their messages from 0: another's has often the same id. */
  last?: { readonly id: unknown; readonly response: Response };
}

/** The answers of each snapshot's tools, by what was asked. */
const answersOf = memoize((_catalog: object) =>
  new LRUCache<string, KeptAnswer>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ before, after }) => 2 * (before.length + after.length),
  })
);
/** Stands for the id of a message while its answer is made; no answer contains it by chance. */
const NO_ID: string = crypto.randomUUID();

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
  const { config, proxy, events, startLimit: startTimer } = services;
  requireHost(request, config.BASE_URL);
  const hasKey = KEY_HEADERS.some((name) => request.headers.get(name));
  const endpoints = hasKey ? await proxy.endpointsOf({ request, requestId, notes }) : null;
  const maxBytes = hasKey ? config.MAX_BODY_BYTES : MAX_PUBLIC_BYTES;
  const message = parseMessage(await createBodyReader({ maxBytes, startTimer })(request, UNHELD));
  const answer = async (parsedBody: unknown) => {
    // A start needs none of the package.
    const sdk = await import("@modelcontextprotocol/server");
    const make = () => createServer(ctx, tools, pages, endpoints, sdk);
    return await sdk.createMcpHandler(make, { maxSubscriptions: 0 }).fetch(request, { parsedBody });
  };
  const { jsonrpc, id, method, params } = message;
  const tool = tools.find(({ name }) => name === params?.name);
  const isKept = method === "tools/call" && tool?.isKept === true && isId(id);
  // Without a catalog, the tool says why.
  const catalog = isKept ? await (async () => await events.catalog())().catch(() => null) : null;
  if (catalog === null) {
    // The log line of a call that may be charged is written when its stream, and the call itself, are over.
    const sent: Promise<void> = ctx.info.completed.catch(() => {})
      .then(() => notes.callOver === sent ? undefined : notes.callOver);
    if (hasKey) notes.callOver = sent;
    return await answer(message);
  }
  const answers = answersOf(catalog);
  const asked = [...PROTOCOL_HEADERS.map((name) => request.headers.get(name)), jsonrpc, method];
  const key = JSON.stringify([catalog.day().date, ...asked, params]);
  let known = answers.get(key);
  if (known === undefined) {
    const response = await answer({ ...message, id: NO_ID });
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const text = await response.text();
    const [before = "", after] = text.split(JSON.stringify(NO_ID));
    // A message that the package refuses as a whole is answered without its id.
    if (after === undefined) return createResponse(text, headers, status);
    known = { before: encoder.encode(before), after: encoder.encode(after), status, headers };
    if (status === 200 && notes.code === undefined) answers.set(key, known);
  }
  const { last } = known;
  if (last !== undefined && last.id === id) return last.response.clone();
  const bytes = joinBytes([known.before, encoder.encode(JSON.stringify(id)), known.after]);
  const response = createResponse(bytes, known.headers, known.status);
  known.last = { id, response };
  return response.clone();
}

function isId(id: unknown): boolean {
  return typeof id === "string" || Number.isInteger(id);
}

/** @throws {PublicError} `bad_request` if the bytes are not one message. */
function parseMessage(bytes: Uint8Array) {
  let message;
  try {
    message = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new PublicError("bad_request", "The body is not JSON.", { cause });
  }
  if (isObject(message)) return message as Parsed;
  throw new PublicError("bad_request", "The body is not one message.", {
    hint: "Send one JSON object a request: batches are not supported.",
  });
}

/**
 * Refuses a page that reaches this server by another name (DNS rebinding), as the protocol demands where there is an
 * `Origin`. Pages of any origin may call the public address, as they may call the API: only a key opens more.
 */
function requireHost({ headers }: Request, baseUrl: string): void {
  if (headers.get("origin") === null) return;
  const { hostname } = new URL(baseUrl);
  const [asked = ""] = /^(?:\[.*\]|[^:]*)/.exec(headers.get("host") ?? "") ?? [];
  if (asked === hostname || LOCAL.includes(hostname) && LOCAL.includes(asked)) return;
  throw new PublicError("forbidden", "A page may not call this service by another name.", {
    hint: `Send the request to ${baseUrl}/mcp.`,
  });
}

/** The server of one message; `endpoints` are those that the caller's key may use, null without a key. */
function createServer(
  ctx: Context<State>,
  tools: readonly Tool[],
  pages: () => Promise<readonly Page[]>,
  endpoints: Endpoints | null,
  sdk: Sdk,
): Server {
  const { SITE_NAME: name, BASE_URL: websiteUrl } = ctx.state.services.config;
  const server = new sdk.Server({ name, websiteUrl, version: VERSION }, {
    capabilities: { tools: {}, resources: {} },
    instructions: `The events and documents of ${name}; with a member's key, web search too.`,
  });
  server.setRequestHandler("tools/list", () => ({
    tools: tools.filter(({ operation, endpoint }) =>
      operation.needsKey !== true || endpoints === "all" ||
      endpoints !== null && (endpoint === undefined || endpoints.includes(endpoint))
    ).map(({ name, operation, output }) => ({
      ...describe(operation),
      name,
      outputSchema: schemaOf(output),
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find((each) => each.name === params.name);
    if (tool !== undefined) return await callTool(tool, params.arguments ?? {}, ctx, context);
    throw new sdk.ProtocolError(INVALID_PARAMS, `There is no tool ${params.name}.`);
  });
  server.setRequestHandler("resources/list", async ({ params: { cursor = "0" } = {} }) => {
    const all = await pages();
    const end = Number(cursor) + PAGES_AT_ONCE;
    if (!/^\d{1,9}$/.test(cursor)) {
      throw new sdk.ProtocolError(INVALID_PARAMS, "The cursor is none of this list's.");
    }
    const resources = all.slice(Number(cursor), end).map(({ markdown: _, ...page }) => (
      { ...page, mimeType: "text/markdown" }
    ));
    return { resources, ...end < all.length && { nextCursor: String(end) } };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const page = (await pages()).find((each) => each.uri === uri);
    if (page === undefined) throw new sdk.ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: "text/markdown", text: page.markdown() }] };
  });
  return server;
}

/** An operation as the protocol describes a tool. */
const describe = memoize((operation: Tool["operation"]) => {
  const { summary: title, description, parameters = [], body, needsKey = false } = operation;
  const inputSchema = body === undefined
    ? {
      type: "object" as const,
      properties: Object.fromEntries<Json>(
        parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    }
    : schemaOf(body.schema);
  const annotations = { readOnlyHint: true, openWorldHint: needsKey };
  return { title, description, inputSchema, annotations };
});

const schemaOf = memoize((schema: z.ZodType) => ({
  ...z.toJSONSchema(schema, { io: "input" }) as Record<string, Json>,
  type: "object" as const,
}));

/** Calls a tool. A refused request is a result that says what to do, since a model can act on it. */
async function callTool(
  tool: Tool,
  args: Arguments,
  ctx: Context<State>,
  { mcpReq: { signal, _meta, notify } }: ServerContext,
): Promise<CallToolResult> {
  const { req, config, info, state } = ctx;
  const { requestId, notes, services: { config: { BASE_URL }, log } } = state;
  const progressToken = _meta?.progressToken;
  let progress = 0;
  const report = async (message: string) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress: ++progress, message };
    await notify({ method: "notifications/progress", params });
  };
  const stream = tool.isStream && { stream: progressToken !== undefined };
  const all = { ...tool.defaults, ...args, ...stream };
  const params = { idOrSlug: String(args["idOrSlug"] ?? "") };
  try {
    // The handlers of operations read nothing else of a context.
    const inner = { config, info, state, params, req: requestOf(tool, all, req, BASE_URL, signal) };
    const response = await tool.handler(inner as unknown as Context<State>);
    return await resultOf(tool, response, state, report);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toPublicError(thrown);
    const { code, message, hint = "", status, cause } = error;
    notes.code = code;
    countRefused(code, "/mcp");
    if (status >= 500 && !isBusy(error)) log.error(message, { requestId, code, cause });
    return failed(`${message} ${hint}`.trim());
  }
}

/** The request of a call, as a caller of the API sends it. */
function requestOf(
  { path, operation }: Tool,
  args: Arguments,
  { headers: given }: Request,
  baseUrl: string,
  signal: AbortSignal,
): Request {
  const headers = new Headers({ "content-type": "application/json" });
  for (const name of KEY_HEADERS) headers.set(name, given.get(name) ?? "");
  if (operation.body !== undefined) {
    const body = JSON.stringify(args);
    return new Request(baseUrl + path, { headers, signal, method: "POST", body });
  }
  // Models write null for what they leave out.
  const query = Object.entries(args).filter(([name, value]) =>
    value !== null && !path.includes(`{${name}}`)
  ).map(([name, value]) => [name, String(value)]);
  const search = query.length === 0 ? "" : `?${new URLSearchParams(query)}`;
  return new Request(`${baseUrl}${path.replace(/\{\w+\}/, "-")}${search}`, { headers, signal });
}

/** The result of a call from its response. @throws {PublicError} `upstream_error` if that is cut off. */
async function resultOf(
  { toText }: Tool,
  response: Response,
  state: State,
  report: (text: string) => Promise<void>,
): Promise<CallToolResult> {
  const { ok, status, headers } = response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const text =
    await (isStream
      ? collect(response, report)
      : readBounded(response.body, MAX_ANSWER_BYTES, tooLong)
        .then((bytes) => new TextDecoder().decode(bytes))).catch((cause) => {
        if (cause instanceof PublicError) throw cause;
        const hint = "The tool usage shows what it cost. Try again later.";
        throw new PublicError("upstream_error", "The response was cut off.", { hint, cause });
      });
  if (!ok) return failed(`The provider refused the request with ${status}: ${text}`);
  const structuredContent = JSON.parse(text);
  const shown = await toText?.(structuredContent, state) ?? text;
  const texts = [shown, headers.get("x-spending-warning")];
  const content = texts.filter((text) => text !== null)
    .map((text) => ({ type: "text" as const, text }));
  return { content, structuredContent };
}

function tooLong(): PublicError {
  return new PublicError("upstream_error", `The response has over ${MAX_ANSWER_BYTES} bytes.`, {
    hint: "It was charged. Ask for fewer results, or for less text of each.",
  });
}

/** A streamed answer as the JSON of the same request without a stream. */
async function collect({ body }: Response, report: (text: string) => Promise<void>) {
  let [answer, rest] = ["", {}];
  const decoded = body?.pipeThrough(new TextDecoderStream());
  for await (const { data } of decoded?.pipeThrough(new EventSourceParserStream(PARSER)) ?? []) {
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
}

function failed(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
