/**
 * A Deno KV server for tests: KV Connect over HTTP, in memory, as denokv 0.14 answers: its limits, its sentences, and
 * values that stay until they are removed after their end. Any call can fail as on a network, before or after its
 * effect. What Foyer does not use is missing.
 */

import { ConnectionReset, resetResponse } from "../../lib/sandbox/connection.ts";
import { serveStandIn } from "../../lib/sandbox/serve_stand_in.ts";
import {
  type Check,
  decodeRead,
  decodeWrite,
  DELETE,
  encodeReadOutput,
  encodeWriteOutput,
  type Entry,
  type ReadRange,
  SET,
  type StoredValue,
  SUM,
} from "./kv_connect_messages.ts";

/** The fate of a call. */
export type Treatment =
  | "answer"
  /** An error status; the call had no effect. */
  | 400
  | 500
  | 503
  /** The connection breaks before or after the call's effect; a client cannot tell which. */
  | "drop before"
  | "drop after";

/** A call that has arrived. */
interface Call {
  readonly method: "metadata" | "snapshot_read" | "atomic_write";
  /** The changed keys, or the starts of the read ranges, as texts of bytes, so `["usage", …]` contains `usage`. */
  readonly keys: readonly string[];
}

/** A running server. */
export interface KvConnect extends AsyncDisposable {
  /** The variables that connect Foyer to it. */
  readonly env: { readonly KV_PATH: string; readonly DENO_KV_ACCESS_TOKEN: string };
  /** Decides the fate of a call, and may delay it, as a remote region does. */
  judge: (call: Call) => Treatment | Promise<Treatment>;
  /** Every call so far with the valid token. */
  readonly calls: readonly Call[];
  /** The number of commits refused for a limit. */
  readonly refused: number;
}

/** The same for all servers: tests of several files share one environment, from which Deno reads it. */
const TOKEN = "token-of-the-stand-in";
const DATABASE_ID = "3f2b5c1e-7a4d-4c0b-9e65-0d8f1a2b3c4d";
const VERSIONS = ["2", "3"];
/**
 * The token that clients use after the exchange of metadata; it differs from the one for the exchange, as Deno Deploy's
 * does. denokv's is the same.
 */
const SESSION_TOKEN = "session-of-the-stand-in";
/** A refused call: its status, and the sentence that the client passes on. */
class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** denokv's limits (`denokv_proto`, `limits.rs`). The client has most of them too, but allows a hundred checks. */
const MAX_CHECKS = 10;
const MAX_WRITTEN_KEY_BYTES = 2_048;
const MAX_READ_KEY_BYTES = MAX_WRITTEN_KEY_BYTES + 1;
const MAX_VALUE_BYTES = 65_536;
const MAX_RANGES = 10;
const MAX_READ_ENTRIES = 1_000;
const MAX_MUTATIONS = 1_000;
const MAX_COMMIT_BYTES = 819_200;
/** A value that has expired is served until the server removes it, which denokv does at least once a minute. */
const REMOVAL_MILLISECONDS = 60_000;

/** Starts a server, and gives this process the token. */
export function startKvConnect(): KvConnect {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", TOKEN);
  const entries = new Map<string, Entry>();
  const calls: Call[] = [];
  let version = 0n;

  function read(key: string): Entry | null {
    const entry = entries.get(key) ?? null;
    const isRemoved = entry !== null && entry.expiresAt > 0 &&
      entry.expiresAt + REMOVAL_MILLISECONDS <= Date.now();
    return isRemoved ? null : entry;
  }

  function readRange({ start, end, limit, reverse }: ReadRange): Entry[] {
    const keys = end === `${start}\0`
      ? [start]
      : [...entries.keys()].filter((key) => key >= start && key < end).sort();
    if (reverse) keys.reverse();
    return keys.flatMap((key) => read(key) ?? []).slice(0, limit);
  }

  function snapshotRead(ranges: readonly ReadRange[]): Uint8Array {
    allow(
      ranges.length <= MAX_RANGES,
      "Too many read ranges requested in one read request.",
    );
    for (const { start, end, limit } of ranges) {
      allow(limit > 0, "The read range limit of the snapshot read request is invalid.");
      const isShort = Math.max(start.length, end.length) <= MAX_READ_KEY_BYTES;
      allow(isShort, "A key exceeds the key size limit.");
    }
    allow(
      sum(ranges.map(({ limit }) => limit)) <= MAX_READ_ENTRIES,
      "The total number of entries requested across read ranges in the read request is too large.",
    );
    return encodeReadOutput(ranges.map(readRange));
  }

  function atomicWrite({ checks, mutations }: ReturnType<typeof decodeWrite>) {
    allow(checks.length <= MAX_CHECKS, "Too many checks included in atomic write.");
    allow(
      mutations.length <= MAX_MUTATIONS,
      "Too many mutations / enqueues included in atomic write.",
    );
    for (const { key } of checks) {
      allow(key.length <= MAX_READ_KEY_BYTES, "A key exceeds the key size limit.");
    }
    for (const { key, kind, value } of mutations) {
      // The other kinds exist, but Foyer uses none.
      allow([SET, DELETE, SUM].includes(kind), "Invalid mutation kind or arguments.");
      allow(key.length <= MAX_WRITTEN_KEY_BYTES, "A key exceeds the key size limit.");
      allow(value.data.length <= MAX_VALUE_BYTES, "A value exceeds the value size limit.");
    }
    const size = sum([...checks, ...mutations].map(({ key }) => key.length)) +
      sum(mutations.map(({ value }) => value.data.length));
    allow(size <= MAX_COMMIT_BYTES, "The total size of the atomic write is too large.");
    const isAsRead = ({ key, versionstamp }: Check) =>
      toHex(read(key)?.versionstamp) === toHex(versionstamp);
    if (!checks.every(isAsRead)) return encodeWriteOutput(null);
    const versionstamp = new Uint8Array(10);
    new DataView(versionstamp.buffer).setBigUint64(0, ++version);
    for (const { key, kind, value, expiresAt } of mutations) {
      if (kind === DELETE) entries.delete(key);
      else {
        const stored = kind === SUM ? added(read(key), value) : value;
        entries.set(key, { key, ...stored, versionstamp, expiresAt });
      }
    }
    return encodeWriteOutput(versionstamp);
  }

  /** The call, and the function that performs it. */
  async function parse(request: Request): Promise<Call & { run: () => Response }> {
    const { pathname } = new URL(request.url);
    const isMetadata = pathname === "/";
    const shown = request.headers.get("authorization");
    if (shown !== `Bearer ${isMetadata ? TOKEN : SESSION_TOKEN}`) {
      throw new Refusal(401, "Invalid access token.");
    }
    if (isMetadata) {
      return { method: "metadata", keys: [], run: metadata };
    }
    const version = request.headers.get("x-denokv-version") ?? "";
    allow(VERSIONS.includes(version), "Expected protocol version 2.");
    allow(request.headers.get("x-denokv-database-id") === DATABASE_ID, "Invalid database id.");
    const body = await request.bytes();
    if (pathname === "/v2/snapshot_read") {
      const ranges = decodeRead(body);
      const keys = ranges.map(({ start }) => start);
      return { method: "snapshot_read", keys, run: () => protobuf(snapshotRead(ranges)) };
    }
    if (pathname !== "/v2/atomic_write") throw new Refusal(404, "Resource not found.");
    const write = decodeWrite(body);
    const keys = write.mutations.map(({ key }) => key);
    return { method: "atomic_write", keys, run: () => protobuf(atomicWrite(write)) };
  }

  async function handle(request: Request): Promise<Response> {
    try {
      const { run, ...call } = await parse(request);
      calls.push(call);
      const treatment = await self.judge(call);
      if (typeof treatment === "number") throw new Refusal(treatment, "As the test wants it.");
      const answer = treatment === "drop before" ? null : run();
      return treatment === "answer" && answer !== null
        ? answer
        : resetResponse(new ConnectionReset());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 400) refused++;
      return new Response(error.message, { status: error.status });
    }
  }

  let refused = 0;
  const serving = serveStandIn(handle);
  const self: KvConnect = {
    env: { KV_PATH: serving.origin, DENO_KV_ACCESS_TOKEN: TOKEN },
    judge: () => "answer",
    calls,
    get refused() {
      return refused;
    },
    [Symbol.asyncDispose]: () => serving.shutdown(),
  };
  return self;
}

function metadata(): Response {
  return Response.json({
    version: 3,
    databaseId: DATABASE_ID,
    endpoints: [{ url: "/v2", consistency: "strong" }],
    token: SESSION_TOKEN,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
}

function protobuf(body: Uint8Array): Response {
  // The bytes from pbf are never in shared memory.
  const init = { headers: { "content-type": "application/x-protobuf" } };
  return new Response(body as BodyInit, init);
}

function allow(isAllowed: boolean, otherwise: string): void {
  if (!isAllowed) throw new Refusal(400, otherwise);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function toHex(versionstamp: Uint8Array | undefined): string {
  return versionstamp?.toHex() ?? "";
}

/** A sum after an addition. */
function added(before: StoredValue | null, { data, encoding }: StoredValue): StoredValue {
  const bitsOf = (bytes: Uint8Array) =>
    new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  allow(
    before === null || before.encoding === encoding,
    "Failed to perform 'sum' mutation on a non-U64 value in the database",
  );
  const result = new Uint8Array(8);
  const total = (before === null ? 0n : bitsOf(before.data)) + bitsOf(data);
  new DataView(result.buffer).setBigUint64(0, BigInt.asUintN(64, total), true);
  return { data: result, encoding };
}
