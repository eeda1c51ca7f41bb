// The faults of the providers: their kinds, the requests that they affect, their JSON and their effects.
// `fault_plan.ts` has their times.

import { setImmediate } from "node:timers";
import { z } from "zod";
import { ConnectionReset, elapsed, orAborted, untilGone } from "./connection.ts";
import { amount, createPlan, type Delay, timing } from "./fault_plan.ts";
import { FAULT_STATUSES, type ProviderAnswer } from "./provider_answer.ts";

const action = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal([
      // No response until the caller disconnects.
      "hang",
      // The first half of the body, then the connection breaks.
      "cut",
      // The first half of the body, ended as if it were whole.
      "truncated",
      // 200 and `application/json`, with random text.
      "garbage",
      // 200 and a page of HTML.
      "html",
      // The right body, one byte per chunk.
      "split",
      // A body that never ends, made only as fast as it is read.
      "endless",
      // Compressed, even if the caller did not accept that.
      "gzip",
      // The right body in chunks, its length not announced.
      "no-length",
    ]),
  }),
  // The right answer, late, by some milliseconds.
  z.object({ kind: z.literal("delay"), ms: amount }),
  // The first half of the body, then silence: for ever, for some milliseconds, or until a promise resolves.
  z.object({
    kind: z.literal("stall"),
    ms: amount.exactOptional(),
    until: z.instanceof<typeof Promise<unknown>>(Promise).exactOptional(),
  }),
  // The connection breaks before the answer, or with `after` between its headers and its body.
  z.object({ kind: z.literal("reset"), after: z.literal("headers").exactOptional() }),
  // An error in the provider's own layout.
  z.object({
    kind: z.literal("status"),
    status: z.literal(FAULT_STATUSES),
    retryAfterSeconds: amount.exactOptional(),
  }),
  // The right body under another content type.
  z.object({ kind: z.literal("content-type"), contentType: z.string() }),
  // The right answer without its cost (web search) or its usage (decisions).
  z.object({ kind: z.literal("missing-cost") }),
  // These very characters in place of `costDollars.total` or `usage.input_tokens`.
  z.object({ kind: z.literal("cost"), text: z.string() }),
  // The right response enlarged to this many bytes, made as fast as it is read; `length` false: not announced.
  z.object({ kind: z.literal("huge"), bytes: amount, length: z.boolean().exactOptional() }),
  // To `location`; unset: to the same address with `?redirected=1`. 307 unless another status is given.
  z.object({
    kind: z.literal("redirect"),
    location: z.string().exactOptional(),
    status: z.literal([301, 302, 303, 307, 308]).exactOptional(),
  }),
]);

/** A fault as JSON. */
export const providerFaultSchema = action.and(timing);

type ProviderFaultAction = z.infer<typeof action> | Delay;

/** A fault and when it comes. */
export type ProviderFault = ProviderFaultAction & z.infer<typeof timing>;

/** Makes an empty plan. */
export function createProviderFaultPlan() {
  return createPlan<ProviderFault, null>(() => true);
}

type Chunk = Uint8Array<ArrayBuffer>;

/** An answer as it is sent: `chunks` are made one by one, as fast as they are read. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: Iterator<Chunk> | AsyncIterator<Chunk>;
  /** The body's length, where it is announced. */
  readonly length?: number;
}

const CHUNK_BYTES = 65_536;
const filler: Chunk = new TextEncoder().encode("x".repeat(CHUNK_BYTES));

/** The answer as it is, a chunk for each event of a stream. */
export function plainly({ status, headers, parts, isEventStream }: ProviderAnswer): Outgoing {
  const chunks = parts.map(encode);
  const length = isEventStream ? {} : { length: sum(chunks) };
  return { status, headers, chunks: chunks.values(), ...length };
}

/**
 * The answer with the fault in it, except for status faults and those of the cost, which are in the answer already.
 * @throws {ConnectionReset} for a reset before the headers.
 * @throws the signal's reason if the caller disconnects during a delay or a hang.
 */
export async function withFault(
  fault: ProviderFault,
  answer: ProviderAnswer,
  path: string,
  gone: AbortSignal,
): Promise<Outgoing> {
  const { status, headers } = answer;
  const bytes = encode(answer.parts.join(""));
  const half = Math.max(1, bytes.length >> 1);
  switch (fault.kind) {
    case "delay":
      await orAborted(gone, "ms" in fault ? elapsed(fault.ms) : () => fault.until);
      return plainly(answer);
    case "hang":
      return await untilGone(gone);
    case "stall":
      return { status, headers, chunks: stalled(bytes, half, waitOf(fault), gone) };
    case "reset":
      if (fault.after === undefined) throw new ConnectionReset();
      return { status, headers, chunks: broken([]) };
    case "cut":
      return { status, headers, chunks: broken([bytes.subarray(0, half)]) };
    case "truncated":
      return { status, headers, chunks: [bytes.subarray(0, half)].values() };
    case "garbage":
      return {
        status: 200,
        headers: { "Content-Type": "application/json" },
        chunks: [Uint8Array.from({ length: 512 }, (_, i) => (i * 167 + 129) % 256)].values(),
      };
    case "html":
      return {
        status: 200,
        headers: { "Content-Type": "text/html; charset=utf-8" },
        chunks: [encode("<!DOCTYPE html>\n<title>Sandbox</title>\n<h1>One moment</h1>\n")].values(),
      };
    case "content-type":
      return { ...plainly(answer), headers: { ...headers, "Content-Type": fault.contentType } };
    case "split":
      // No length: a server may join what it sends of a body whose end it knows.
      return { status, headers, chunks: byteByByte(bytes) };
    case "no-length":
      return { status, headers, chunks: [bytes].values() };
    case "endless":
      return { status, headers, chunks: endless(answer) };
    case "huge":
      return huge(answer, bytes, fault);
    case "gzip": {
      const compressed = await gzip(bytes);
      return {
        status,
        headers: { ...headers, "Content-Encoding": "gzip" },
        chunks: [compressed].values(),
        length: compressed.length,
      };
    }
    case "redirect": {
      const { location = `${path}?redirected=1` } = fault;
      return {
        status: fault.status ?? 307,
        headers: { Location: location },
        chunks: [].values(),
        length: 0,
      };
    }
    case "status":
    case "cost":
    case "missing-cost":
      return plainly(answer);
  }
}

function waitOf(
  { ms, until }: { ms?: number; until?: Promise<unknown> },
): (signal: AbortSignal) => Promise<unknown> {
  if (until !== undefined) return () => until;
  return ms === undefined ? untilGone : elapsed(ms);
}

async function* stalled(
  bytes: Chunk,
  half: number,
  wait: (signal: AbortSignal) => Promise<unknown>,
  gone: AbortSignal,
): AsyncGenerator<Chunk> {
  yield bytes.subarray(0, half);
  await orAborted(gone, wait);
  yield bytes.subarray(half);
}

function* broken(chunks: Chunk[]): Generator<Chunk> {
  yield* chunks;
  throw new ConnectionReset();
}

/** A turn of the event loop between two bytes, in which the server sends the first before it could join them. */
async function* byteByByte(bytes: Chunk): AsyncGenerator<Chunk> {
  for (let i = 0; i < bytes.length; i++) {
    yield bytes.subarray(i, i + 1);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A stream repeats its first event; JSON begins with a string that does not end. */
function* endless({ parts: [first = ""], isEventStream }: ProviderAnswer): Generator<Chunk> {
  if (!isEventStream) yield encode('{"padding":"');
  const chunk = isEventStream ? encode(first.repeat(16)) : filler;
  while (true) yield chunk;
}

/** The answer behind a long string: a member of the JSON object, or an event of its own that holds one. */
function huge(
  { status, headers, isEventStream }: ProviderAnswer,
  bytes: Chunk,
  { bytes: wanted, length: isAnnounced = true }: { bytes: number; length?: boolean },
): Outgoing {
  const before = encode(isEventStream ? 'data: {"padding":"' : '{"padding":"');
  const after = isEventStream ? encode('"}\n\n') : encode('",');
  const rest = isEventStream ? bytes : bytes.subarray(1);
  const padding = Math.max(0, wanted - sum([before, after, rest]));
  function* chunks(): Generator<Chunk> {
    yield before;
    for (let left = padding; left > 0; left -= CHUNK_BYTES) {
      yield filler.subarray(0, Math.min(left, CHUNK_BYTES));
    }
    yield after;
    yield rest;
  }
  const length = isAnnounced ? { length: padding + sum([before, after, rest]) } : {};
  return { status, headers, chunks: chunks(), ...length };
}

async function gzip(bytes: Chunk): Promise<Chunk> {
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(compressed).bytes();
}

function encode(text: string): Chunk {
  return new TextEncoder().encode(text);
}

function sum(chunks: readonly Chunk[]): number {
  return chunks.reduce((total, { length }) => total + length, 0);
}
