/**
 * Accounts, their keys and the ledger over one database, without HTTP, for several isolates and an operator, on a
 * clock that the test moves.
 *
 *     await using world = await openAccounts();
 *     const { key, text } = await world.key();
 *     world.advance(DAY);
 *     await world.authenticator().authenticate(bearer(text));
 */

import { createAccount, type NewAccount } from "../../lib/accounts/account.ts";
import { createAuthenticator } from "../../lib/accounts/authenticate.ts";
import { createKey, type NewKey } from "../../lib/accounts/key.ts";
import { createLedger, type Ledger } from "../../lib/proxy/ledger/ledger.ts";
import { openKv } from "../../lib/platform/kv/open.ts";
import { faultyKv } from "./faulty_kv.ts";
import { until } from "./until.ts";
import { madeBy } from "./made_by.ts";

/** The initial time, in epoch milliseconds. */
export const START = Date.parse("2026-11-21T12:00:00Z");
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The database of the authenticators: its operations are counted, and can be delayed or made to fail. */
interface WatchedKv {
  readonly kv: Deno.Kv;
  reads: number;
  /** Runs before each operation. */
  before: (what: "read" | "commit") => Promise<void> | void;
  /** Runs after the database's response, before its caller gets it. */
  after: (what: "read" | "commit") => Promise<void> | void;
  /** Waits for writes in the background. */
  settle(): Promise<void>;
}

function watch(real: Deno.Kv): WatchedKv {
  let writing = 0;
  const watched: WatchedKv = {
    kv: faultyKv(
      real,
      async ({ kind }) => {
        if (kind === "read") watched.reads++;
        else writing++;
        try {
          await watched.before(kind);
          return "work" as const;
        } catch (error) {
          if (kind === "commit") writing--;
          throw error;
        }
      },
      async ({ kind }) => {
        await watched.after(kind);
        if (kind === "commit") writing--;
      },
    ),
    reads: 0,
    before: () => {},
    after: () => {},
    settle: () => until(() => writing === 0),
  };
  return watched;
}

/** A world of its own for one test. */
export type AccountsWorld = Awaited<ReturnType<typeof openAccounts>>;

/** Opens a world over an empty database. */
export async function openAccounts() {
  const real = await openKv(":memory:");
  const watched = watch(real);
  const lines: string[] = [];
  let at = START;
  const now = () => at;
  const account = (asked: Partial<NewAccount> = {}) =>
    createAccount(real, { name: "bot", limitNanoUsd: null, verified: true, ...asked }, madeBy(at));
  return {
    kv: real,
    watched,
    /** The whole log as one text. */
    logged: () => lines.join("\n"),
    now,
    advance(milliseconds: number): void {
      at += milliseconds;
    },
    /** Another isolate on the database. */
    authenticator: (clockOffset = 0) =>
      createAuthenticator({
        kv: watched.kv,
        now: () => at + clockOffset,
        config: { BASE_URL: "http://localhost" },
        log: { warn: (...args) => lines.push(Deno.inspect(args, { depth: 10 })) },
      }),
    account,
    async key(asked: Partial<NewKey> = {}) {
      const accountId = asked.accountId ?? (await account()).id;
      return await createKey(
        real,
        { label: null, expiresAt: null, ...asked, accountId },
        madeBy(at),
      );
    },
    [Symbol.dispose]: () => real.close(),
    async [Symbol.asyncDispose]() {
      await watched.settle();
      real.close();
    },
  };
}

/** The ledger of another isolate on a database. Its limits are high, and its pauses take no time. */
export function openLedger(
  kv: Deno.Kv,
  now: () => number,
  options: Partial<Parameters<typeof createLedger>[0]> = {},
): Ledger {
  return createLedger({
    kv,
    now,
    sleep: () => Promise.resolve(),
    policy: { requests: 1_000_000, windowSeconds: 1_800 },
    reservationSeconds: 60,
    log: { warn() {}, error() {} },
    ...options,
  });
}
