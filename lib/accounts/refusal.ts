/** Why a caller is refused, and the public error of each reason. */

import { banInWords } from "./account.ts";
import { ACCOUNT } from "../platform/address.ts";
import type { Config } from "../platform/config/config.ts";
import { operatorInWords, PublicError } from "../platform/http/errors.ts";

/** Why a request is refused. `keyId` is the public id, the only part of a key that may be shown. */
type Refusal =
  | { readonly reason: "missing" | "scheme" | "conflicting" | "malformed" | "mistyped" }
  | { readonly reason: "unknown"; readonly keyId: string }
  | OfAccount & {
    readonly reason: "revoked" | "leaked" | "expired" | "banned" | "withdrawn" | "unverified";
    /** Absent if the operator gave none. */
    readonly banReason?: string;
  }
  /** The key may not use the endpoint. */
  | OfAccount & { readonly reason: "endpoint"; readonly allowed: readonly string[] };

interface OfAccount {
  readonly keyId: string;
  readonly accountId: string;
}

const SEND_A_KEY = "Send it as `Authorization: Bearer <key>` or as `x-api-key: <key>`.";

/** Where a refused caller finds help. */
export type Help =
  & Pick<Config, "BASE_URL">
  & Partial<Pick<Config, "SIGN_IN_ISSUER" | "SITE_CONTACT">>;

function otherKeyInWords({ BASE_URL, SIGN_IN_ISSUER, SITE_CONTACT }: Help): string {
  return SIGN_IN_ISSUER === undefined
    ? `Use another key of the account, or ask ${operatorInWords(SITE_CONTACT)} for one.`
    : `Use another key of the account, or create one at ${BASE_URL}${ACCOUNT}.`;
}

/** A refused caller: 401, or 403 if the key is valid and the account may not use the proxy. */
export class RefusedCaller extends PublicError {
  /** @param refusal for the log; the response says less. */
  constructor(readonly refusal: Refusal, help: Help) {
    super(...wordsOf(refusal, help));
  }
}

type PublicWords = ConstructorParameters<typeof PublicError>;

function wordsOf(refusal: Refusal, help: Help): PublicWords {
  const operator = operatorInWords(help.SITE_CONTACT);
  const otherKey = otherKeyInWords(help);
  const { keyId, accountId } = { keyId: "", accountId: "", ...refusal };
  switch (refusal.reason) {
    case "missing":
      return unauthorized("The request has no API key.", SEND_A_KEY, false);
    case "scheme":
      return unauthorized(
        "The Authorization header must use the Bearer scheme.",
        SEND_A_KEY,
        false,
      );
    case "conflicting":
      return unauthorized(
        "The Authorization and x-api-key headers hold different values.",
        "Send the key in only one of them.",
      );
    case "malformed":
      return unauthorized(
        "The API key does not have the form of this service's keys.",
        "Send the key whole, as it was shown when it was made, without quotes, " +
          "and not the key of another provider.",
      );
    case "mistyped":
      return unauthorized(
        "The API key is mistyped: its checksum does not match.",
        "Copy the key again from where you keep it.",
      );
    case "unknown":
      return unauthorized(`The API key ${keyId} is unknown.`, otherKey);
    case "leaked":
      return unauthorized(
        `The API key ${keyId} has been revoked: it was reported as leaked.`,
        otherKey,
      );
    case "revoked":
      return unauthorized(`The API key ${keyId} has been revoked.`, otherKey);
    case "expired":
      return unauthorized(`The API key ${keyId} has expired.`, otherKey);
    case "banned":
      return forbidden(
        banInWords({ ...refusal, id: accountId }),
        `Only ${operator} can lift the ban; write to them with the account's id.`,
      );
    case "withdrawn":
      return forbidden(
        `The owner of the account ${accountId} is no longer admitted to this service.`,
        "The keys work again once the owner has signed in and is admitted.",
      );
    case "unverified":
      return forbidden(
        `The account ${accountId} needs identity verification.`,
        `Send the account's id to ${operator} and ask for verification; the same key works afterwards.`,
      );
    case "endpoint":
      return forbidden(
        `The API key ${keyId} may not use this endpoint.`,
        `It may use ${refusal.allowed.join(", ")}. ${otherKey}`,
      );
  }
}

/** RFC 9110, 11.6.1 requires the challenge; RFC 6750, 3 allows an `error` only if a key was given. */
function unauthorized(message: string, hint: string, isKeyGiven = true): PublicWords {
  const challenge = `Bearer realm="foyer"${isKeyGiven ? ', error="invalid_token"' : ""}`;
  return ["unauthorized", message, { hint, headers: { "www-authenticate": challenge } }];
}

function forbidden(message: string, hint: string): PublicWords {
  return ["forbidden", message, { hint }];
}
