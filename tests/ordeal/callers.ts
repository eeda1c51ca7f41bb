/**
 * The callers of the service in an ordeal: readers of events and pages, and members' clients that ask, stream and
 * hang up. Each response is checked on arrival: faults of upstreams are allowed, faults of Foyer are not.
 */

import type { Random } from "../../lib/sandbox/random.ts";
import type { Server } from "./servers.ts";

/** A response, whole or cut off. */
export interface Answered {
  readonly requestId: string;
  readonly server: Server;
  /** The end of the response in epoch milliseconds. */
  readonly endedAt: number;
  readonly path: string;
  readonly status: number;
}

/** The observations of the callers. */
export interface Seen {
  readonly answered: Answered[];
  /** Responses that should never occur, in words. */
  readonly wrong: string[];
  /** Requests without a response: their process was killed, or the caller hung up. */
  broken: number;
  /** Requests that were refused because of a daily limit, by the owner of the limit. */
  readonly overLimit: Record<"key" | "service", number>;
}

/** The observations before the first request. */
export function createSeen(): Seen {
  return { answered: [], wrong: [], broken: 0, overLimit: { key: 0, service: 0 } };
}

/** Whether a response must be in the books. */
export function isPaid({ path, status }: Answered): boolean {
  return status === 200 && ASKED.some(([paid]) => paid === path);
}

/** The dependencies of the callers. */
interface CallerOptions {
  /** A running server, or null while there is none. */
  readonly choose: () => Server | null;
  readonly key: string;
  /** A key of the same account with a daily limit of its own. */
  readonly cappedKey: string;
  /** Whether members now spend as much as they can, to reach the limit of all accounts. */
  readonly isSpending: () => boolean;
  /** Whether a response to a request of that time (epoch milliseconds) may still contain this name of the event. */
  readonly isRecent: (name: string, askedAt: number) => boolean;
  readonly random: Random;
}

const SEARCH = ["/proxy/v1/websearch/search", { query: "bread", numResults: 5 }] as const;
const STREAM = ["/proxy/v1/websearch/answer", { query: "bread", stream: true }] as const;
const CONTENTS = ["/proxy/v1/websearch/contents", { urls: ["https://example.org/"] }] as const;
const DECISION = ["/proxy/v1/decision/systemone", {
  state: "The parcel has not come.",
  questions: { late: { type: "noul", instructions: "Is the parcel late?" } },
}] as const;
const DEAR = ["/proxy/v1/websearch/search", {
  query: "bread",
  numResults: 100,
  // About a dollar, with little text in the response.
  contents: { highlights: true, summary: true, subpages: 4 },
}] as const;
const ASKED = [SEARCH, STREAM, CONTENTS, DECISION] as const;
const WRONG = ["/proxy/v1/decision/systemone", { state: 1 }] as const;

const READ = [
  "/api/v1/events?limit=100",
  "/api/v1/events?status=upcoming&sort=name",
  "/api/v1/events/rss",
  "/feed.atom",
  "/calendar.ics",
  "/",
  "/events/ordeal-counter",
  "/docs",
  "/up",
  "/api/v1/events/nothing-here",
] as const;

/** The allowed responses to each kind of request. */
const EXPECTED = {
  read: new Set([200, 304, 404, 429, 502, 503]),
  proxy: new Set([200, 400, 402, 404, 422, 429, 502, 503, 504, 529]),
};

/** The number of callers of each kind. */
export interface CallerCounts {
  readonly readers: number;
  readonly members: number;
}

/** Starts callers, who note what they see until `signal` aborts, and resolves when all are done. */
export async function callUntil(
  signal: AbortSignal,
  options: CallerOptions,
  counts: CallerCounts,
  seen: Seen,
): Promise<void> {
  const work = [
    ...Array.from({ length: counts.readers }, () => readEvents),
    ...Array.from({ length: counts.members }, () => callProxy),
  ];
  await Promise.all(work.map(async (each) => {
    while (!signal.aborted) {
      const server = options.choose();
      if (server !== null) await each(server, options, seen);
      await pause(options.random.int(5, 45));
    }
  }));
}

async function readEvents(server: Server, { isRecent, random }: CallerOptions, seen: Seen) {
  const path = random.pick(READ);
  const askedAt = Date.now();
  const answer = await call(server, path, {}, seen);
  if (answer === null) return;
  const { status, text } = answer;
  if (!EXPECTED.read.has(status)) seen.wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
  if (status !== 200 || path !== "/events/ordeal-counter") return;
  const name = /Version \d+/.exec(text)?.[0] ?? "";
  if (!isRecent(name, askedAt)) {
    const at = new Date(askedAt).toISOString();
    seen.wrong.push(`${path} of ${server.origin} at ${at}: "${name}" is too old`);
  }
}

async function callProxy(server: Server, options: CallerOptions, seen: Seen) {
  const { random } = options;
  const isCapped = random.chance(0.15);
  const key = isCapped ? options.cappedKey : options.key;
  const usual = options.isSpending() && !isCapped
    ? DEAR
    : random.pick<(typeof ASKED)[number]>(ASKED);
  const [path, body] = random.chance(0.05) ? WRONG : usual;
  if (random.chance(0.2)) return await callTool(server, path, body, key, seen);
  const hangUp = new AbortController();
  const timer = random.chance(0.1)
    ? setTimeout(() => hangUp.abort(), random.int(0, 400))
    : undefined;
  const init = {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: hangUp.signal,
  };
  const answer = await call(server, path, init, seen);
  clearTimeout(timer);
  if (answer === null) return;
  const { status, text, headers } = answer;
  if (!EXPECTED.proxy.has(status)) seen.wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
  if (headers.get("x-refused-by") === "foyer") noteLimit(path, text, isCapped, seen);
  if (status >= 400 && headers.get("x-refused-by") === null) {
    seen.wrong.push(`${path}: ${status} does not say who refused it`);
  }
}

/** The tools of `/mcp` that request these paths. */
const TOOLS: Readonly<Record<string, string>> = {
  [SEARCH[0]]: "web_search",
  [STREAM[0]]: "answer",
  [CONTENTS[0]]: "read_pages",
  [DECISION[0]]: "decide",
};

/** The same request by an assistant: a refusal is a result, and every status but 200 is the key's or the database's. */
async function callTool(server: Server, path: string, body: object, key: string, seen: Seen) {
  const params = { name: TOOLS[path], arguments: body };
  const init = {
    method: "POST",
    headers: {
      "authorization": `Bearer ${key}`,
      "content-type": "application/json",
      "accept": "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
  const answer = await call(server, "/mcp", init, seen);
  if (answer === null) return;
  const { status, text } = answer;
  const isResult = status === 200 && /"result":\{/.test(text);
  if (!isResult && status !== 503) seen.wrong.push(`/mcp: ${status} ${text.slice(0, 200)}`);
}

/**
 * Notes whose limit refused a request: it is reached, or requests in progress have reserved what is left. (The requests
 * of a killed process count as in progress until a sweep.) That of the account never refuses, and a key without a cap
 * meets none.
 */
function noteLimit(path: string, text: string, isCapped: boolean, { overLimit, wrong }: Seen) {
  const { code, message, spending } = JSON.parse(text);
  if (code !== "spending_limit_reached" && code !== "too_many_open") return;
  const scope = spending?.scope ?? /the (\w+)'s daily limit/.exec(message)?.[1];
  if (scope === "service" || scope === "key" && isCapped) overLimit[scope as "key" | "service"]++;
  else wrong.push(`${path}: the limit of the ${scope} refused: ${text.slice(0, 200)}`);
}

/** One request, whose response is read to its end; null if there was no whole response. */
async function call(server: Server, path: string, init: RequestInit, seen: Seen) {
  try {
    const response = await fetch(server.origin + path, init);
    const requestId = response.headers.get("x-request-id");
    const { status, headers } = response;
    if (requestId === null) seen.wrong.push(`${path}: ${status} without x-request-id`);
    let text: string | null = null;
    try {
      text = await response.text();
    } finally {
      seen.answered.push({ requestId: requestId ?? "", server, endedAt: Date.now(), path, status });
    }
    return { status, headers, text };
  } catch {
    // The process was killed or ended, the caller hung up, or the provider's response was cut off.
    seen.broken++;
    return null;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
