/** Signing in: from the button to a session, and from a request to the member who sent it. */

import { deleteAccount, welcomePerson, withdrawPerson } from "../accounts/mod.ts";
import type { Claims, Config } from "../config/mod.ts";
import { PublicError } from "../http/mod.ts";
import { type RandomBytes, randomBytes } from "../random.ts";
import type { Log } from "../telemetry/mod.ts";
import type { StartTimer } from "../timeout.ts";
import {
  type Attempt,
  ATTEMPT_SECONDS,
  beginAttempt,
  isStateOf,
  type Purpose,
  readAttempt,
} from "./attempt.ts";
import { type Cookies, createCookies } from "./cookies.ts";
import { createProvider, signInOver } from "./provider.ts";
import {
  beginSession,
  endSession,
  endSessions,
  findMember,
  type Member,
  SESSION_DAYS,
} from "./sessions.ts";

/** Sign-in for members. */
export interface SignIn {
  /** The host of the issuer, for people. */
  readonly issuerHost: string;
  readonly cookies: Cookies;
  /**
   * Begins an attempt.
   *
   * @throws {PublicError} 502 or 504 if the provider is not available.
   */
  begin(purpose: Purpose): Promise<Step>;
  /**
   * Handles the callback from the provider: ends the attempt, and begins a session.
   *
   * @throws {PublicError} 400, 403, 500, 502 or 504 if no session can begin.
   */
  finish(headers: Headers, search: string): Promise<Step>;
  /** The member who sent a request; null without a session. */
  findMember(headers: Headers): Promise<Member | null>;
  /** Ends the session of a request. Returns the cookie that removes it from the browser. */
  leave(headers: Headers): Promise<string>;
  /** Deletes the account of a member, and ends its sessions. Returns the cookie that removes this one. */
  deleteAccount(member: Member): Promise<string>;
}

/** A redirect of the browser, with cookies to set. */
interface Step {
  readonly location: string;
  readonly cookies: readonly string[];
}

interface SignInOptions {
  readonly config: Config;
  readonly kv: Deno.Kv;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly startLimit: StartTimer;
  readonly log: Pick<Log, "info" | "warn">;
  readonly random?: RandomBytes;
}

/** The address to which the provider sends browsers back; the operator registers it there. */
const CALLBACK = "/account/callback";
/** The address of the member's page. */
export const ACCOUNT = "/account";
/** The address at which an account is deleted. */
export const DELETION = "/account/delete";

/** Creates the sign-in; null if it is not configured. */
export function createSignIn(options: SignInOptions): SignIn | null {
  const { config, kv, now, log, random = randomBytes } = options;
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId, BASE_URL: baseUrl } = config;
  if (issuer === undefined || clientId === undefined) return null;
  const provider = createProvider({
    ...options,
    issuer,
    clientId,
    clientSecret: config.SIGN_IN_CLIENT_SECRET,
    scopes: config.SIGN_IN_SCOPES,
    redirectUri: `${baseUrl}${CALLBACK}`,
  });
  const cookies = createCookies(baseUrl);
  const { names } = cookies;
  const admits = config.SIGN_IN_ADMIT ?? (() => true);

  /** The account of a person. @throws {PublicError} `forbidden` if the rules do not admit the person. */
  async function admit(claims: Claims & { readonly sub: string }): Promise<string> {
    // Without an issuer, there is no sign-in.
    const owner = { issuer: issuer as string, subject: claims.sub };
    if (!admits(claims)) {
      const accountId = await withdrawPerson(kv, owner);
      if (accountId !== null) await endSessions(kv, accountId);
      log.info("A person was not admitted.", accountId === null ? {} : { accountId });
      throw new PublicError("forbidden", "You are signed in, but not admitted to this service.", {
        hint: "Ask the people who run this site, or sign in as another person.",
      });
    }
    const { name } = claims;
    const found = await welcomePerson(kv, {
      owner,
      name: typeof name === "string" ? name : null,
      verified: config.SIGN_IN_VERIFIED?.(claims) ?? null,
    }, now());
    if (found.kind === "account") return found.account.id;
    const until = new Date(found.until).toISOString().slice(0, 16).replace("T", " ");
    throw new PublicError("forbidden", "You have deleted your account today.", {
      hint: `You can have a new one from ${until} UTC on.`,
    });
  }

  /** Callbacks in progress: a browser that sends one twice, as a double click does, gets one session for both. */
  const running = new Map<string, ReturnType<typeof complete>>();

  async function complete(attempt: Attempt, headers: Headers, search: string) {
    const { purpose, state } = attempt;
    const accountId = await admit(await provider.redeem(attempt, search));
    const replaced = cookies.read(headers, names.session);
    const token = await beginSession(kv, { accountId, state, replaced }, now(), random);
    if (token === null) throw signInOver();
    log.info("A member signed in.", { accountId });
    return {
      location: purpose === "delete" ? DELETION : ACCOUNT,
      cookies: [
        cookies.set(names.session, token, SESSION_DAYS * 86_400),
        cookies.remove(names.attempt),
      ],
    };
  }

  return {
    issuerHost: new URL(issuer).host,
    cookies,
    async begin(purpose) {
      const attempt = beginAttempt(purpose, now(), random);
      const location = await provider.authorize(attempt);
      return { location, cookies: [cookies.set(names.attempt, attempt.text, ATTEMPT_SECONDS)] };
    },
    async finish(headers, search) {
      const attempt = readAttempt(cookies.read(headers, names.attempt), now());
      const given = new URLSearchParams(search);
      const isOurs = attempt !== null && isStateOf(attempt, given.get("state")) &&
        PARAMETERS.every((name) => given.getAll(name).length <= 1) &&
        [null, issuer].includes(given.get("iss"));
      if (!isOurs) throw signInOver();
      const id = `${attempt.text} ${search}`;
      const finishing = running.get(id) ?? complete(attempt, headers, search);
      running.set(id, finishing);
      return await finishing.finally(() => running.delete(id));
    },
    findMember: (headers) => findMember(kv, cookies.read(headers, names.session), now()),
    async leave(headers) {
      const token = cookies.read(headers, names.session);
      if (token !== undefined) await endSession(kv, token);
      return cookies.remove(names.session);
    },
    async deleteAccount({ account: { id } }) {
      await deleteAccount(kv, id, now());
      await endSessions(kv, id);
      log.info("A member deleted the account.", { accountId: id });
      return cookies.remove(names.session);
    },
  };
}

/** The parameters of the callback. Each has a meaning only if it occurs once. */
const PARAMETERS = ["code", "state", "iss", "error"];
