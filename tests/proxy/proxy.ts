/** Shared parts of the tests of the proxy's routes: requests, raw sockets, and the books. */

import type { UsageRecord } from "../../lib/proxy/ledger/values.ts";
import type { EndpointName } from "../../lib/proxy/proxy.ts";
import { type Foyer, type PROVIDER_KEYS, startFoyer } from "../support/foyer.ts";
import type { Member } from "../support/member.ts";
import { until } from "../support/until.ts";

/** A search at the stand-in's default price. */
export const SEARCH = { query: "sourdough bread" };
/** A question to which the stand-in responds with a stream. */
export const STREAM = { query: "sourdough bread", stream: true };
/** A decision that passes the rules. */
export const DECISION = {
  state: "The parcel has not come.",
  questions: { late: { type: "noul", instructions: "Is the parcel late?" } },
};

/** An address that forwards. */
interface Forwarded {
  readonly path: string;
  readonly endpoint: EndpointName;
  /** A valid body, and a member of the provider's response to it. */
  readonly body: unknown;
  readonly member: string;
  readonly provider: Exclude<keyof typeof PROVIDER_KEYS, "management">;
  /** The provider's path. */
  readonly upstream: string;
}

const WEBSEARCH = { provider: "websearch", member: "costDollars" } as const;
const DECIDE = {
  endpoint: "decision",
  provider: "decision",
  body: DECISION,
  member: "answers",
  upstream: "/v1/systemone",
} as const;
const PAGE = "https://sandbox.example/cooking/sourdough";

/** The addresses that forward. */
export const FORWARDED: readonly Forwarded[] = [
  ...([
    ["search", SEARCH],
    ["findSimilar", { url: PAGE }],
    ["contents", { urls: [PAGE] }],
    ["answer", SEARCH],
  ] as const).map(([endpoint, body]) => ({
    ...WEBSEARCH,
    path: `/proxy/v1/websearch/${endpoint}`,
    endpoint,
    body,
    upstream: `/${endpoint}`,
  })),
  { ...DECIDE, path: "/proxy/v1/decision/systemone" },
  { ...DECIDE, path: "/proxy/v1/decision/v1/systemone" },
];

/** The paths by their short names. */
export const PATHS = {
  search: "/proxy/v1/websearch/search",
  contents: "/proxy/v1/websearch/contents",
  answer: "/proxy/v1/websearch/answer",
  decision: "/proxy/v1/decision/systemone",
  usage: "/proxy/v1/usage",
} as const;

/** 0.007 USD: a search, as reserved and as charged. */
export const SEARCH_PRICE = 7_000_000n;
/** 0.005 USD: an answer, as reserved and as charged. */
export const ANSWER_PRICE = 5_000_000n;

/** The standing of a member's day, once every request in progress is booked. */
export async function booksOf(foyer: Foyer, { accountId }: Member) {
  await foyer.services.ledger.flush();
  const { days: [today], rate } = await foyer.services.ledger.status(accountId, 1);
  const records: UsageRecord[] = [];
  for await (const { value } of foyer.kv.list<UsageRecord>({ prefix: ["usage", accountId] })) {
    records.push(value);
  }
  return {
    spent: today?.sums.spent ?? 0n,
    reserved: today?.sums.reserved ?? 0n,
    counted: rate.limit - rate.remaining,
    records,
  };
}

/** The result of one request: its status, its cost and the source of the cost, with nothing left reserved. */
export async function chargeOf(foyer: Foyer, member: Member) {
  const { spent, reserved, records: [record, ...others] } = await booksOf(foyer, member);
  if (reserved !== 0n) throw new Error(`${reserved} nano-dollars are still reserved`);
  if (record === undefined || others.length > 0) throw new Error("not one usage record");
  if (record.cost !== spent) throw new Error(`${spent} spent, but the record says ${record.cost}`);
  return { status: record.status, cost: record.cost, from: record.costFrom };
}

/** Posts a body, and does not read the response. */
export async function ask(
  foyer: Foyer,
  key: string,
  body: unknown = SEARCH,
  path: string = PATHS.search,
): Promise<Response> {
  return await foyer.post(path, key, body);
}

/** What `/proxy/v1/usage` tells a key. */
export const getUsage = (foyer: Foyer, key: string, query = "") =>
  foyer.get(`${PATHS.usage}${query}`, { headers: { authorization: `Bearer ${key}` } });

/** Resolves when the books hold a member's `count` usage records. */
export async function untilBooked(foyer: Foyer, member: Member, count = 1): Promise<void> {
  await until(async () => (await booksOf(foyer, member)).records.length === count);
}

/** A promise that resolves at the end of the scope at the latest. */
export function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    opened: promise,
    open: resolve,
    /** The number of calls of `wait`. */
    get waiting(): number {
      return waiting;
    },
    /** Waits until it is opened, as a sleep that the test ends. */
    wait(): Promise<void> {
      waiting++;
      return promise;
    },
    [Symbol.dispose]: resolve,
  };
}

/** A connection whose bytes are written and read unchanged. */
export interface RawConnection extends Disposable {
  send(...parts: (string | Uint8Array)[]): Promise<void>;
  /** Reads until the text so far meets the condition or the other side closes; returns the text. */
  read(isEnough?: (text: string) => boolean): Promise<string>;
  /** Breaks the connection. */
  close(): void;
}

/** Connects to an origin. */
export async function connect(origin: string): Promise<RawConnection> {
  const { hostname, port } = new URL(origin);
  return rawConnection(await Deno.connect({ hostname, port: Number(port) }));
}

/** A response as it arrived on a connection, still encoded. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** A character for each byte. */
  readonly body: string;
}

/** The bytes that a {@linkcode RawConnection} has read, as a response. */
export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  return { status, headers: new Headers(fields), body: text.slice(end + 4) };
}

const encoder = new TextEncoder();

/** A connection as a {@linkcode RawConnection}; its text is read as Latin-1, a character for a byte. */
function rawConnection(connection: Deno.TcpConn): RawConnection {
  let text = "";
  const close = () => {
    try {
      connection.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  };
  return {
    async send(...parts) {
      for (const part of parts) {
        const bytes = typeof part === "string" ? encoder.encode(part) : part;
        for (let sent = 0; sent < bytes.length;) {
          sent += await connection.write(bytes.subarray(sent));
        }
      }
    },
    async read(isEnough = () => false) {
      const buffer = new Uint8Array(65_536);
      while (!isEnough(text)) {
        const size = await connection.read(buffer).catch(() => null);
        if (size === null) break;
        text += Array.from(buffer.subarray(0, size), (byte) => String.fromCharCode(byte)).join("");
      }
      return text;
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** The head of a raw request; each of `headers` is one line. */
export function head(method: string, path: string, ...headers: string[]): string {
  return [`${method} ${path} HTTP/1.1`, "Host: foyer.example", ...headers, "", ""].join("\r\n");
}

/** The field of a body's length. */
export const announced = (body: string | number) =>
  `Content-Length: ${typeof body === "string" ? encoder.encode(body).length : body}`;
/** The field of a body of unknown length. */
export const CHUNKED = "Transfer-Encoding: chunked";
/** A part of such a body; the empty part is its end. */
export const chunk = (text: string) => `${encoder.encode(text).length.toString(16)}\r\n${text}\r\n`;
/** Whether a text from a connection has a whole answer in JSON. */
export const hasAnswer = (text: string) => /\r\n\r\n.+\}$/s.test(text);

/** Begins a POST with a key on a connection: sends its head, and so much of its body as the server takes. */
export async function beginPost(
  foyer: Foyer,
  path: string,
  key: string,
  fields: readonly string[],
  ...parts: (string | Uint8Array)[]
): Promise<RawConnection> {
  const connection = await connect(foyer.origin);
  const own = [`Authorization: Bearer ${key}`, "Content-Type: application/json"];
  await connection.send(head("POST", path, ...own, ...fields));
  await connection.send(...parts).catch(() => {});
  return connection;
}

/** Posts a body on a connection, whose answer the caller may leave unread. */
export async function postRaw(foyer: Foyer, path: string, key: string, body: unknown) {
  const text = JSON.stringify(body);
  return await beginPost(foyer, path, key, [announced(text)], text);
}

/** A provider that writes raw bytes, for responses that no HTTP server sends. */
interface RawProvider extends AsyncDisposable {
  readonly origin: string;
  /** The head of each complete request. */
  readonly heads: string[];
}

/** Starts one: `answer` writes to the connection after each request; then it is closed. */
export function startRawProvider(
  answer: (connection: RawConnection) => Promise<void> | void,
): RawProvider {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heads: string[] = [];
  async function serve(connection: RawConnection): Promise<void> {
    const text = await connection.read((text) => {
      const length = /content-length: (\d+)/i.exec(text)?.[1] ?? "0";
      const end = text.indexOf("\r\n\r\n");
      return end !== -1 && text.length >= end + 4 + Number(length);
    });
    if (text !== "") {
      heads.push(text.slice(0, text.indexOf("\r\n\r\n")));
      // Foyer may have hung up meanwhile.
      await Promise.resolve(answer(connection)).catch(() => {});
    }
    connection.close();
  }
  const accepting = (async () => {
    for await (const connection of listener) void serve(rawConnection(connection));
  })();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    heads,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}

/** Writes a provider's response, with its length unless `fields` frame it otherwise. */
export function reply(
  status: number,
  type: string,
  body: string | Uint8Array,
  ...fields: readonly string[]
): (connection: RawConnection) => Promise<void> {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const isFramed = fields.some((field) => /^(content-length|connection|transfer-)/i.test(field));
  const framing = isFramed ? [] : [announced(bytes.length)];
  const lines = [`HTTP/1.1 ${status} X`, `Content-Type: ${type}`, ...framing, ...fields, "", ""];
  return (connection) => connection.send(lines.join("\r\n"), bytes);
}

/** The result of a request to a provider that writes raw bytes: what the caller gets, and what is charged. */
export async function askRaw(
  answer: Parameters<typeof startRawProvider>[0],
  { path = PATHS.search, body = SEARCH, env = {}, ...options }:
    & { path?: string; body?: unknown }
    & Pick<NonNullable<Parameters<typeof startFoyer>[0]>, "env" | "startLimit"> = {},
) {
  await using provider = startRawProvider(answer);
  const { origin } = provider;
  const own = { WEBSEARCH_API_URL: origin, DECISION_API_URL: origin };
  await using foyer = await startFoyer({ env: { ...own, ...env }, ...options });
  const member = await foyer.createMember(100_000_000_000n);
  const response = await foyer.post(path, member.key, body);
  const bytes = await response.bytes().catch(() => null);
  /** Null if it was cut off. */
  const text = bytes && new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const [charge, refusals] = [await chargeOf(foyer, member), foyer.services.refusals];
  await refusals.flush();
  const noted = await refusals.list(member.accountId);
  const { logged } = foyer;
  return { response, text, charge, noted, logged, asked: provider.heads.length };
}
