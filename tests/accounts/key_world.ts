/** A database, a clock and the authenticators of several processes, for the tests of keys. */

import { type Account, createAccount, type NewAccount } from "../../lib/accounts/account.ts";
import { type Authenticator, createAuthenticator } from "../../lib/accounts/authenticate.ts";
import { type CreatedKey, createKey, type NewKey } from "../../lib/accounts/key.ts";
import { openKv } from "../../lib/kv/open.ts";

export const START = Date.parse("2026-11-21T12:00:00Z");
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A real database, of which reads and writes are counted, and can be held up or made to fail. */
export interface WatchedKv {
  readonly kv: Deno.Kv;
  reads: number;
  /** Runs before each read and each write of the methods that authentication uses. */
  before: (what: "read" | "write") => Promise<void> | void;
  /** Runs between the database's answer and its caller. */
  after: (what: "read" | "write") => Promise<void> | void;
  /** Waits for what is being written in the background. */
  settle(): Promise<void>;
}

function watch(real: Deno.Kv): WatchedKv {
  const writes = new Set<Promise<unknown>>();
  const proxy = new Proxy(real, {
    get(target, name) {
      // The methods are private to the real object, so each is called on it.
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        const isRead = name === "get" || name === "getMany";
        if (!isRead && name !== "set") return Reflect.apply(method, target, args);
        if (isRead) watched.reads++;
        const what = isRead ? "read" : "write";
        const result = (async () => {
          await watched.before(what);
          const answer: unknown = await Reflect.apply(method, target, args);
          await watched.after(what);
          return answer;
        })();
        if (!isRead) {
          const done = result.catch(() => {}).finally(() => writes.delete(done));
          writes.add(done);
        }
        return result;
      };
    },
  });
  const watched: WatchedKv = {
    kv: proxy,
    reads: 0,
    before: () => {},
    after: () => {},
    async settle() {
      await Promise.all(writes);
    },
  };
  return watched;
}

/** A world of its own for one test. */
export interface KeyWorld extends AsyncDisposable {
  readonly kv: Deno.Kv;
  readonly watched: WatchedKv;
  /** Everything that was logged, as one text. */
  readonly logged: () => string;
  readonly now: () => number;
  advance(milliseconds: number): void;
  /** One more process on the database. */
  authenticator(clockOffset?: number): Authenticator;
  account(asked?: Partial<NewAccount>): Promise<Account>;
  key(asked?: Partial<NewKey>): Promise<CreatedKey>;
}

export async function createKeyWorld(): Promise<KeyWorld> {
  const real = await openKv(":memory:");
  const watched = watch(real);
  const lines: string[] = [];
  let at = START;
  const now = () => at;
  const account: KeyWorld["account"] = (asked = {}) =>
    createAccount(real, { name: "bot", limitNanoUsd: null, verified: true, ...asked }, at);
  return {
    kv: real,
    watched,
    logged: () => lines.join("\n"),
    now,
    advance(milliseconds) {
      at += milliseconds;
    },
    authenticator: (clockOffset = 0) =>
      createAuthenticator({
        kv: watched.kv,
        now: () => at + clockOffset,
        log: { warn: (...args) => lines.push(Deno.inspect(args, { depth: 10 })) },
      }),
    account,
    async key(asked = {}) {
      const accountId = asked.accountId ?? (await account()).id;
      return await createKey(real, { label: null, expiresAt: null, ...asked, accountId }, at);
    },
    async [Symbol.asyncDispose]() {
      await watched.settle();
      real.close();
    },
  };
}
