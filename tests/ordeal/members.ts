/**
 * Members of an ordeal, who repeatedly sign in, create a key and sign out, and are sometimes banned. Every process
 * must refuse an ended session and a banned account within five seconds.
 */

import { IN_FORCE_MILLISECONDS } from "../../lib/proxy/accounts/key_cache.ts";
import type { Random } from "../../lib/sandbox/random.ts";
import { type Browser, makeKey, openBrowser } from "../support/sign_in_browser.ts";
import { call, type Seen } from "./callers.ts";
import { BASE_URL, type Server } from "./servers.ts";

/** The dependencies of the members. */
interface MembersOptions {
  /** A running server, or null while there is none. */
  readonly choose: () => Server | null;
  /** The running servers. */
  readonly servers: () => readonly Server[];
  /** Bans an account, or lifts the ban, as an operator does; false after a failure. */
  readonly setBanned: (accountId: string, isBanned: boolean) => Promise<boolean>;
  readonly issuer: string;
  readonly random: Random;
}

/** The members, and the names that only their own pages show. */
const PEOPLE = { "person-ada": "Ada", "person-olga": "Olga" } as const;
type Person = keyof typeof PEOPLE;

/** The allowed statuses of members' responses: 400 and 502 if clocks differ by more than a sign-in allows. */
const EXPECTED = new Set([200, 303, 400, 403, 502, 503, 504]);
const PAUSE_MILLISECONDS = 200;
/** Bans are rare, because each starts a process. */
const BAN_CHANCE = 0.05;
/** After this time, a process without a readable response is left to the other checks. */
const PATIENCE_MILLISECONDS = 30_000;

/** Runs the members until `signal` aborts, and resolves when all are done; `seen.members` counts what they did. */
export async function liveUntil(
  signal: AbortSignal,
  options: MembersOptions,
  seen: Seen,
): Promise<void> {
  // The names of object literals are their own keys.
  const people = Object.keys(PEOPLE) as Person[];
  await Promise.all(people.map(async (person) => {
    const member = createMember(person, { ...options, signal }, seen);
    while (!signal.aborted) {
      // The end of a process may interrupt it; the next round begins again.
      await member.liveOnce().catch(() => void seen.broken++);
      await pause();
    }
  }));
}

function createMember(
  person: Person,
  { choose, servers, setBanned, issuer, random, signal }: MembersOptions & { signal: AbortSignal },
  seen: Seen,
) {
  /** The member's only key; "" before it is made. */
  let key = "";

  /** A browser that sends its requests to one process. */
  function browserAt(server: Server): Browser {
    const answer = async (path: string, init: RequestInit) => {
      // Another process may listen on its port by now.
      if (!server.isUp) throw new Error(`the process of ${path} has ended`);
      const answered = await call(server, path, { ...init, redirect: "manual" }, seen);
      if (answered === null) throw new Error(`${path} was broken off`);
      const { status, headers, text } = answered;
      if (!EXPECTED.has(status)) seen.wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
      return new Response(text, { status, headers });
    };
    return openBrowser(answer, issuer, BASE_URL);
  }

  /** Whether another process shows the same member's page; null if the response does not tell. */
  async function isSignedInAt(server: Server, { cookies }: Browser): Promise<boolean | null> {
    const browser = browserAt(server);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const response = await browser.get("/account").catch(() => null);
    if (response === null || ![200, 403].includes(response.status)) return null;
    // A banned member's page has the way out too.
    return response.status === 200 && /Sign out/.test(await response.text());
  }

  async function isKeyGoodAt(server: Server): Promise<boolean | null> {
    if (!server.isUp) return null;
    const headers = { authorization: `Bearer ${key}` };
    const answered = await call(server, "/proxy/v1/usage", { headers }, seen);
    if (answered?.status === 200) return true;
    return answered?.status === 403 || answered?.status === 401 ? false : null;
  }

  /** Waits until every process refuses, and notes those that refuse too late. */
  async function assertRefused(
    what: string,
    isAllowed: (server: Server) => Promise<boolean | null>,
  ): Promise<void> {
    const since = Date.now();
    await Promise.all(
      servers().map(async (server) => {
        while (server.isUp && !signal.aborted && Date.now() - since < PATIENCE_MILLISECONDS) {
          const askedAt = Date.now();
          const allowed = await isAllowed(server);
          if (allowed === false) return;
          if (allowed === true && askedAt - since > IN_FORCE_MILLISECONDS) {
            seen.wrong.push(`${what} of ${person} is taken ${askedAt - since} ms later`);
            return;
          }
          await pause();
        }
      }),
    );
  }

  async function endSession(browser: Browser, server: Server): Promise<void> {
    const other = browserAt(server);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const { status } = await browser.post("/account/sign-out");
    if (status !== 303) return;
    seen.members.endings++;
    await assertRefused("a session that has ended", (each) => isSignedInAt(each, other));
  }

  async function beBanned(accountId: string, browser: Browser): Promise<void> {
    if (!await setBanned(accountId, true)) return;
    seen.members.bans++;
    await Promise.all([
      assertRefused("the session of a ban", (each) => isSignedInAt(each, browser)),
      assertRefused("the key of a ban", isKeyGoodAt),
    ]);
    while (!await setBanned(accountId, false) && !signal.aborted) await pause();
  }

  return {
    async liveOnce(): Promise<void> {
      const server = choose();
      if (server === null) return;
      const browser = browserAt(server);
      await browser.signIn(person);
      const page = await (await browser.get("/account")).text();
      if (!/Sign out/.test(page)) return;
      seen.members.signIns++;
      for (const [other, name] of Object.entries(PEOPLE)) {
        const isShown = page.includes(`<h1>${name}</h1>`);
        if (isShown !== (other === person)) seen.wrong.push(`${person} got the page of ${other}`);
      }
      if (key === "") ({ key } = await makeKey(browser, { expires: "never", cap: "0.05" }));
      const [accountId] = /acc_\w{12}/.exec(page) ?? [];
      if (accountId !== undefined && key !== "" && random.chance(BAN_CHANCE)) {
        await beBanned(accountId, browser);
      }
      await endSession(browser, server);
    },
  };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
}
