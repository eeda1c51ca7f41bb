/** Signing in: from the button to a session, and from a request to the member who sent it. */

import { ACCOUNT } from "../platform/address.ts";
import { deleteAccount, provisionAccount, suspendAccount } from "../accounts/owner.ts";
import type { Claims } from "../platform/config/claim_rule.ts";
import type { Config } from "../platform/config/config.ts";
import { operatorInWords, PublicError } from "../platform/http/errors.ts";
import { sha256 } from "../platform/digest.ts";
import type { Log } from "../platform/log.ts";
import type { Platform } from "../platform/platform.ts";
import {
  type Attempt,
  ATTEMPT_SECONDS,
  beginAttempt,
  type Purpose,
  readAttempt,
} from "./attempt.ts";
import { createCookies } from "./internal/cookies.ts";
import { createProvider, signInOver } from "./internal/provider.ts";
import {
  beginSession,
  endSession,
  endSessions,
  findMember,
  isOperators,
  type Member,
  SESSION_DAYS,
} from "./sessions.ts";

/** A redirect of the browser, with cookies to set. */
interface Step {
  readonly location: string;
  readonly cookies: readonly string[];
}

interface SignInOptions extends Pick<Platform, "kv" | "fetch" | "now" | "startLimit"> {
  readonly config: Config;
  readonly log: Pick<Log, "info" | "warn">;
}

/** The address to which the provider sends browsers back; the operator registers it there. */
const CALLBACK = "/account/callback";
/** The address at which an account is deleted. */
export const DELETION = "/account/delete";

/** Sign-in for members. */
export type SignIn = NonNullable<ReturnType<typeof createSignIn>>;

/** Creates the sign-in; null if it is not configured. */
export function createSignIn(options: SignInOptions) {
  const { config, kv, now, log } = options;
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId, BASE_URL: baseUrl } = config;
  if (issuer === undefined || clientId === undefined) return null;
  const redirectUri = `${baseUrl}${CALLBACK}`;
  const provider = createProvider({ ...options, issuer, clientId, redirectUri });
  const cookies = createCookies(baseUrl);
  const { SIGN_IN_OPERATORS: operators, SIGN_IN_VERIFIED: verification } = config;
  const operatorBy = sha256(`${issuer} ${operators.text}`);

  /** The account of a person. @throws {PublicError} `forbidden` if the rules do not admit the person. */
  const admit = async (claims: Claims & { readonly sub: string }): Promise<string> => {
    const owner = { issuer, subject: claims.sub };
    const fault = config.SIGN_IN_ADMIT?.fault(claims) ?? null;
    if (fault !== null) {
      const accountId = await suspendAccount(kv, owner, now());
      if (accountId !== null) await endSessions(kv, accountId);
      log.info("A person was not admitted by SIGN_IN_ADMIT.", {
        fault,
        ...accountId !== null && { accountId },
      });
      throw new PublicError("forbidden", "You are signed in, but not admitted to this service.", {
        hint: `Ask ${operatorInWords(config.SITE_CONTACT)}, or sign in as another person.`,
      });
    }
    const { name } = claims;
    const account = await provisionAccount(kv, {
      owner,
      name: typeof name === "string" ? name : null,
      verified: verification === undefined ? null : verification.fault(claims) === null,
    }, now());
    return account.id;
  };

  /** Callbacks in progress: a browser that sends one twice, as a double click does, gets one session for both. */
  const running = new Map<string, Promise<Step>>();

  async function complete(attempt: Attempt, headers: Headers, search: string): Promise<Step> {
    const { purpose } = attempt;
    const claims = await provider.redeem(attempt, search);
    const accountId = await admit(claims);
    const notOperator = operators.fault(claims);
    const isOperator = notOperator === null;
    const token = await beginSession(
      kv,
      {
        ...{ accountId, purpose },
        operatorBy: isOperator ? operatorBy : null,
        replaced: cookies.session.read(headers),
      },
      now(),
    );
    log.info("A member signed in.", { accountId });
    if (!isOperator && purpose !== "enter" && purpose !== "delete") {
      log.info("A member asked for the desk, whom SIGN_IN_OPERATORS does not admit.", {
        accountId,
        fault: notOperator,
      });
    }
    const desk = isOperator && purpose !== "enter" ? `/${purpose}` : ACCOUNT;
    return {
      location: purpose === "delete" ? DELETION : desk,
      cookies: [
        cookies.session.set(token, SESSION_DAYS * 86_400),
        cookies.attempt(attempt.state).remove(),
      ],
    };
  }

  return {
    issuerName: nameOfIssuer(issuer),
    cookies,
    /** Begins an attempt. @throws {PublicError} 502 or 504 if the provider is not available. */
    async begin(purpose: Purpose): Promise<Step> {
      const attempt = beginAttempt(purpose, now());
      const location = await provider.authorize(attempt);
      return {
        location,
        cookies: [cookies.attempt(attempt.state).set(attempt.text, ATTEMPT_SECONDS)],
      };
    },
    /**
     * Handles the callback from the provider: ends the attempt, and begins a session.
     *
     * @throws {PublicError} 400, 403, 500, 502 or 504 if no session can begin.
     */
    async finish(headers: Headers, search: string): Promise<Step> {
      const given = new URLSearchParams(search);
      const state = given.get("state") ?? "";
      const attempt = readAttempt(cookies.attempt(state).read(headers), now());
      const isOurs = attempt !== null && state === attempt.state &&
        RETURN_PARAMETERS.every((name) => given.getAll(name).length <= 1) &&
        [null, issuer].includes(given.get("iss"));
      if (!isOurs) {
        // Back leads to a callback that was used: whoever is signed in only wants to go on.
        if (await this.findMember(headers) !== null) return { location: ACCOUNT, cookies: [] };
        throw signInOver();
      }
      const id = `${attempt.text} ${search}`;
      const finishing = running.get(id) ?? complete(attempt, headers, search);
      running.set(id, finishing);
      return await finishing.finally(() => running.delete(id));
    },
    /** The member who sent a request; null without a session. */
    findMember: (headers: Headers) => findMember(kv, cookies.session.read(headers), now()),
    /** The operator who sent a request; null for everyone else, a banned operator among them. */
    async findOperator(headers: Headers): Promise<Member | null> {
      const member = await findMember(kv, cookies.session.read(headers), now());
      if (member === null || member.account.banned) return null;
      return isOperators(member.session, operatorBy, now()) ? member : null;
    },
    /** Ends the session of a request. Returns the cookie that removes it from the browser. */
    async leave(headers: Headers): Promise<string> {
      const token = cookies.session.read(headers);
      if (token !== undefined) await endSession(kv, token);
      return cookies.session.remove();
    },
    /** Deletes the account of a member, and ends its sessions. Returns the cookie that removes this one. */
    async deleteAccount({ account: { id } }: Member): Promise<string> {
      await deleteAccount(kv, id, { at: now(), by: { accountId: id } });
      await endSessions(kv, id);
      log.info("A member deleted the account.", { accountId: id });
      return cookies.session.remove();
    },
  };
}

/** The parameters of the callback. Each has a meaning only if it occurs once. */
const RETURN_PARAMETERS = ["code", "state", "iss", "error"];

/** Providers that people know by another name than their host. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "accounts.google.com": "Google",
  "appleid.apple.com": "Apple",
  "gitlab.com": "GitLab",
  "login.microsoftonline.com": "Microsoft",
  "slack.com": "Slack",
  "www.linkedin.com": "LinkedIn",
};

/** The name of an identity provider, for people: that which they know, or its host. */
function nameOfIssuer(issuer: string): string {
  const { host } = new URL(issuer);
  return PROVIDERS[host] ?? host;
}
