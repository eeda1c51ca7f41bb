/** Shared parts of the tests of the official clients: refusals to provoke, books to compare, timers to skip. */

import assert from "node:assert/strict";
import { updateAccount } from "../../lib/accounts/account.ts";
import { revokeKey } from "../../lib/accounts/key.ts";
import type { ProviderStandIn } from "../../lib/sandbox/provider.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import type { Member } from "../support/member.ts";
import { booksOf } from "../proxy/proxy.ts";
import { madeBy } from "../support/made_by.ts";

/** The error with which a call rejects, which must be of a class. */
export async function thrownBy<E extends Error>(
  // deno-lint-ignore no-explicit-any -- the arguments of a client's error are its own affair.
  type: new (...args: any[]) => E,
  call: PromiseLike<unknown>,
): Promise<E> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof type, `expected ${type.name}, got ${Deno.inspect(error)}`);
    return error;
  }
  assert.fail(`expected ${type.name}, got an answer`);
}

/** The charges of both providers, in nano-dollars. */
export function charged({ websearch, decision }: Foyer): bigint {
  return [...websearch.charges.values(), ...decision.charges.values()]
    .reduce((sum, charge) => sum + charge, 0n);
}

/**
 * The books once nothing is reserved any more. Deno.serve does not notice each caller that leaves
 * (it depends on the size of the request): then Foyer's time limit ends the call.
 */
export async function settledBooks(foyer: Foyer, member: Member) {
  for (;;) {
    foyer.limits.lapse(FOYER_LIMIT);
    const books = await booksOf(foyer, member);
    if (books.reserved === 0n) return books;
  }
}

/** A `fetch` for clients. The wait of a `Retry-After` passes on Foyer's clock, and is recorded. */
export function passWaits({ clock }: Foyer) {
  const waits: (string | null)[] = [];
  return {
    waits,
    async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
      const response = await fetch(input, init);
      if (response.ok) return response;
      const wait = response.headers.get("retry-after");
      waits.push(wait);
      clock.now += Number(wait) * 1_000;
      const headers = new Headers(response.headers);
      // A client ignores a zero.
      if (wait !== null) headers.set("retry-after", "0.001");
      return new Response(response.body, { status: response.status, headers });
    },
  };
}

/** UPSTREAM_TIMEOUT_SECONDS, in milliseconds. */
export const FOYER_LIMIT = 120_000;

/**
 * A provider that is silent until the test is over: before its responses, or in the middle of them. (With a fault
 * that never ends, Foyer's shutdown would wait for ever for a caller whose departure goes unnoticed.)
 */
export function silence(
  { faults }: ProviderStandIn,
  kind: "delay" | "stall",
  timing: { sticky: true } | Record<never, never> = {},
): Disposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  faults.push(
    kind === "delay" ? { kind, until: promise, ...timing } : { kind, until: promise, ...timing },
  );
  return { [Symbol.dispose]: resolve };
}

/** The member paid what the providers charged, to the nano-dollar, and nothing is left reserved. */
export async function assertExact(foyer: Foyer, member: Member): Promise<void> {
  const { spent, reserved } = await booksOf(foyer, member);
  assert.deepEqual({ spent, reserved }, { spent: charged(foyer), reserved: 0n });
}

/** Repeats the last request of a stand-in, past Foyer. */
export async function replayLast(standIn: ProviderStandIn): Promise<Response> {
  const last = standIn.requests.at(-1);
  assert.ok(last);
  const { method, path, headers, body } = last;
  const { "x-request-id": _id, ...others } = headers;
  const init = { method, headers: others, body: new Uint8Array(body) };
  return await standIn.fetch(new Request(`http://provider.example${path}`, init));
}

/** A failing call, and the error that its caller must get. */
export interface Refusal {
  /** The state of the books. */
  readonly when: string;
  readonly status: number;
  readonly code: string;
  /** Values that the message or the hint must contain. */
  readonly values?: readonly string[];
  readonly env?: Record<string, string>;
  readonly limit?: bigint;
  /** Brings about the state, and returns the key for the call. */
  arrange(foyer: Foyer, member: Member): Promise<string>;
}

/** The refusals that Foyer itself makes. */
const REFUSALS: readonly Refusal[] = [
  {
    when: "the key is another provider's",
    status: 401,
    code: "unauthorized",
    values: ["not the key of another provider"],
    arrange: () => Promise.resolve("sk-or-v1-0123456789abcdef"),
  },
  {
    when: "the key is revoked",
    status: 401,
    code: "unauthorized",
    async arrange({ kv, clock }, { keyId, key }) {
      await revokeKey(kv, keyId, madeBy(clock.now));
      return key;
    },
  },
  {
    when: "the account is banned",
    status: 403,
    code: "forbidden",
    async arrange({ kv }, { accountId, key }) {
      await updateAccount(kv, accountId, { banned: true }, madeBy());
      return key;
    },
  },
  {
    when: "the daily limit is reached",
    status: 402,
    code: "spending_limit_reached",
    values: ["0.001 USD", "2026-11-22T00:00:00.000Z"],
    limit: 1_000_000n,
    arrange: readOnePage,
  },
  {
    when: "the rate limit is reached",
    status: 429,
    code: "rate_limited",
    values: ["1 request", "1800 seconds", "40 seconds"],
    env: { RATE_LIMIT_REQUESTS: "1" },
    async arrange(foyer, member) {
      const key = await readOnePage(foyer, member);
      foyer.clock.now += 1_760_000;
      return key;
    },
  },
  {
    when: "the provider refuses the service's own key",
    status: 502,
    code: "upstream_error",
    arrange({ websearch, decision }, { key }) {
      for (const { faults } of [websearch, decision]) faults.push({ kind: "status", status: 401 });
      return Promise.resolve(key);
    },
  },
  {
    when: "the provider is down",
    status: 502,
    code: "upstream_error",
    env: { WEBSEARCH_API_URL: deadAddress(), DECISION_API_URL: deadAddress() },
    arrange: (_foyer, { key }) => Promise.resolve(key),
  },
];

/**
 * A test of every refusal with one client.
 *
 * @param call makes the client's call, whose error is of the `type` and contains the refusal's values.
 * @param check what else holds for the error.
 */
export function testRefusals<E extends Error>(
  name: string,
  // deno-lint-ignore no-explicit-any -- as above
  type: new (...args: any[]) => E,
  call: (origin: string, key: string) => PromiseLike<unknown>,
  check: (error: E, refusal: Refusal) => void,
): void {
  Deno.test(name, async (t) => {
    for (const refusal of REFUSALS) {
      const { when, env = {}, limit, arrange, values = [] } = refusal;
      await t.step(when, async () => {
        await using foyer = await startFoyer({ env });
        const key = await arrange(foyer, await foyer.createMember(limit));
        const error = await thrownBy(type, call(foyer.origin, key));
        for (const part of values) assert.ok(error.message.includes(part), error.message);
        check(error, refusal);
      });
    }
  });
}

async function readOnePage(foyer: Foyer, { key }: Member): Promise<string> {
  const urls = ["https://sandbox.example/science/tides"];
  assert.equal((await foyer.post("/proxy/v1/websearch/contents", key, { urls })).status, 200);
  await foyer.services.ledger.flush();
  return key;
}

/** The address of a server that has ended. */
function deadAddress(): string {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  return `http://127.0.0.1:${port}`;
}
