/**
 * The identity provider, used by OpenID Connect: discovery, the request for a code, and the exchange of the code for
 * a person's claims.
 */

import * as client from "openid-client";
import type { Claims } from "../../platform/config/claim_rule.ts";
import type { Config } from "../../platform/config/config.ts";
import { PublicError } from "../../platform/http/errors.ts";
import { readBounded } from "../../platform/http/body.ts";
import type { Log } from "../../platform/log.ts";
import type { Platform } from "../../platform/platform.ts";
import { type Attempt, ATTEMPT_SECONDS } from "../attempt.ts";

interface ProviderOptions extends Pick<Platform, "fetch" | "now" | "startLimit"> {
  readonly config: Config;
  readonly issuer: string;
  readonly clientId: string;
  /** Where the provider sends the browser back. */
  readonly redirectUri: string;
  readonly log: Pick<Log, "warn">;
}

/** The time for one response of the provider. */
export const PROVIDER_LIMIT_MILLISECONDS = 10_000;
/** The largest response: far more than a provider's metadata, keys and tokens take. */
const MAX_ANSWER_BYTES = 512 * 1024;
/** The provider's metadata is read again after this time. */
const FRESH_MILLISECONDS = 3_600_000;
/** How far the provider's clock may differ from ours. */
const TOLERANCE_SECONDS = 60;

/**
 * Asks the provider for the password again, and for the proof that it did so; a provider that does not know a parameter
 * ignores it (OpenID Connect Core, 3.1.2.1 and 5.5).
 */
const PASSWORD_AGAIN = {
  max_age: "0",
  claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }),
};

/** Creates the identity provider as the service sees it. It receives no request before the first sign-in. */
export function createProvider(options: ProviderOptions) {
  const { config, issuer, clientId, redirectUri, now, log } = options;
  // Without a secret this service is a public client, which PKCE alone protects.
  const { SIGN_IN_CLIENT_SECRET: clientSecret, SIGN_IN_SCOPES: scope } = config;
  let known: { readonly configuration: Promise<client.Configuration>; readonly at: number } | null =
    null;

  /** The provider's metadata, with its keys. A failed read is begun anew by the next sign-in. */
  function configure(): Promise<client.Configuration> {
    if (known !== null && Math.abs(now() - known.at) < FRESH_MILLISECONDS) {
      return known.configuration;
    }
    const configuration = discover();
    known = { configuration, at: now() };
    configuration.catch(() => known = null);
    return configuration;
  }

  async function discover(): Promise<client.Configuration> {
    const metadata = {
      // The library has a clock of its own.
      [client.clockSkew]: Math.round((now() - Date.now()) / 1000),
      [client.clockTolerance]: TOLERANCE_SECONDS,
    };
    const found = await client.discovery(new URL(issuer), clientId, metadata, authenticate, {
      [client.customFetch]: createBoundedFetch(options),
      execute: [
        // The signature of a token that arrives over TLS need not be checked (OpenID Connect Core, 3.1.3.7); this
        // service always checks it.
        client.enableNonRepudiationChecks,
        ...issuer.startsWith("http:") ? [client.allowInsecureRequests] : [],
      ],
    });
    if (found.serverMetadata().issuer === issuer) return found;
    throw new Error("SIGN_IN_ISSUER and the issuer differ, perhaps by a slash at the end");
  }

  const authenticate: client.ClientAuth = (server, ...rest) => {
    // A provider without a list accepts the first one (OpenID Connect Discovery, section 3).
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const method = clientSecret === undefined
      ? client.None()
      : methods.includes("client_secret_basic")
      ? client.ClientSecretBasic(clientSecret)
      : client.ClientSecretPost(clientSecret);
    method(server, ...rest);
  };

  return {
    /** The address at which a person signs in. @throws {PublicError} 502 or 504 if the provider is not available. */
    async authorize(attempt: Attempt): Promise<string> {
      const configuration = await configure().catch(throwPublic);
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        ...attempt.purpose !== "enter" && PASSWORD_AGAIN,
      });
      return url.href;
    },
    /**
     * Exchanges the code that the provider sent through the browser; `search` is the query string of the callback.
     *
     * @returns the claims of a token that the provider has signed for this attempt, with those of its userinfo.
     * @throws {PublicError} 400 if the code is not accepted, 403 if the person did not consent, 500 if the provider
     *   refuses this service, 502 or 504 if it is not available or its response cannot be trusted.
     */
    redeem: (attempt: Attempt, search: string) => redeem(attempt, search).catch(throwPublic),
  };

  async function redeem(
    attempt: Attempt,
    search: string,
  ): Promise<Claims & { readonly sub: string }> {
    const configuration = await configure();
    const url = new URL(redirectUri + search);
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    });
    const stated = tokens.claims();
    if (stated === undefined) throw new Error("there is no id token");
    if (config.SIGN_IN_PASSWORD_PROOF === "on") requireProof(attempt, stated.auth_time);
    const { userinfo_endpoint } = configuration.serverMetadata();
    const more = userinfo_endpoint === undefined
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, stated.sub);
    const source: Claims = stated.email === undefined ? more : stated;
    const { email, email_verified } = source;
    const isTrusted = email_verified === undefined && config.SIGN_IN_TRUST_EMAIL === "on";
    // An address and its verification are of one source: the other may speak of another address.
    return { ...more, ...stated, email, email_verified: isTrusted ? true : email_verified };
  }

  /**
   * Refuses a sign-in, other than to enter, for which the provider does not prove that it asked for the password after
   * the attempt began. The parameters that ask for it pass through the browser, which can remove them, so the signed
   * time alone is a proof (OpenID Connect Core, 2: `auth_time`).
   */
  function requireProof({ purpose, startedAt }: Attempt, authTime: unknown): void {
    if (purpose === "enter") return;
    if (typeof authTime !== "number") {
      log.warn(
        "The identity provider states no auth_time, so it cannot prove that it asked for the password again. " +
          "Let it state auth_time, or set SIGN_IN_PASSWORD_PROOF=off and read what that gives up at /docs/security.",
      );
      throw new PublicError(
        "forbidden",
        "The identity provider does not prove that it asked for your password again.",
        {
          hint: "An operator can let the provider state auth_time, or set " +
            "SIGN_IN_PASSWORD_PROOF=off (/docs/install).",
        },
      );
    }
    const isProof = authTime * 1000 >= startedAt - TOLERANCE_SECONDS * 1000 &&
      authTime * 1000 <= now() + TOLERANCE_SECONDS * 1000;
    if (isProof) return;
    throw new PublicError("forbidden", "The identity provider did not ask you to sign in again.", {
      hint: "Sign out there first, and try again.",
    });
  }
}

/** A `fetch` whose responses arrive whole, within a time and a size. */
function createBoundedFetch({ fetch, startLimit }: ProviderOptions): client.CustomFetch {
  return async function boundedFetch(url, options) {
    const abort = new AbortController();
    const late = () => abort.abort(new DOMException("no response in time", "TimeoutError"));
    const cancel = startLimit(late, PROVIDER_LIMIT_MILLISECONDS);
    try {
      const { method, headers } = options;
      const response = await fetch(url, {
        method,
        headers,
        // The library's type does not state which kind of memory holds its bytes.
        body: options.body as BodyInit | null ?? null,
        redirect: "manual",
        signal: abort.signal,
      });
      const tooLong = () => new Error("the response is too long");
      const bytes = await readBounded(response.body, MAX_ANSWER_BYTES, tooLong);
      const { status } = response;
      return new Response(bytes.length === 0 ? null : bytes, { status, headers: response.headers });
    } finally {
      cancel();
    }
  };
}

const AGAIN = "Sign in again.";
const LATER = "Try again in a minute. Your keys still work.";

function throwPublic(cause: unknown): never {
  throw toPublicError(cause);
}

/** The error for the person after a failed exchange, with the reason for the log. */
function toPublicError(thrown: unknown): PublicError {
  if (thrown instanceof PublicError) return thrown;
  const error = errorOf(thrown);
  if (error === "invalid_grant") return signInOver();
  if (error === "access_denied") {
    const message = "The identity provider did not admit you, or you did not consent.";
    return new PublicError("forbidden", message, { hint: AGAIN });
  }
  const cause = new Error(error === undefined ? messagesOf(thrown) : `it answered ${error}`);
  // Only the token endpoint authenticates this service.
  if (error === "invalid_client" || thrown instanceof client.ResponseBodyError) {
    return new PublicError("server_misconfigured", "The identity provider refuses this service.", {
      hint:
        "Report the X-Request-Id to the operator: SIGN_IN_CLIENT_ID or its secret may be wrong.",
      cause,
    });
  }
  const isLate = thrown instanceof Error &&
    (thrown.name === "TimeoutError" || "code" in thrown && thrown.code === "OAUTH_TIMEOUT");
  const [code, message] = isLate
    ? ["upstream_timeout", "The identity provider takes too long."] as const
    : ["upstream_error", "The identity provider cannot sign you in right now."] as const;
  return new PublicError(code, message, { hint: LATER, cause });
}

/** The code of an error that the provider stated, in its own terms; undefined without one. */
function errorOf(thrown: unknown): string | undefined {
  const isStated = thrown instanceof client.AuthorizationResponseError ||
    thrown instanceof client.ResponseBodyError;
  if (isStated) return thrown.error;
  return thrown instanceof client.WWWAuthenticateChallengeError
    ? thrown.cause[0]?.parameters.error
    : undefined;
}

/**
 * The messages of an error and its causes. The library's errors also hold tokens and claims, which must not be
 * logged.
 */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const rest = messagesOf(error.cause);
  return rest === "" ? error.message : `${error.message}: ${rest}`;
}

/** The error of a callback that belongs to no open attempt of this browser. */
export function signInOver(): PublicError {
  const message =
    "This sign-in is over: it was used already, took too long, or began in another browser.";
  return new PublicError("bad_request", message, {
    hint: `${AGAIN} You have ${ATTEMPT_SECONDS / 60} minutes, in one tab.`,
  });
}
