/** Why a caller is refused, inside; and the public error of each reason. */

import { PublicError } from "../http/mod.ts";

/** Why a request has no caller. `keyId` is the public id, the only part of a key that may be said. */
export type Refusal =
  | { readonly reason: "missing" | "scheme" | "conflicting" | "malformed" | "mistyped" }
  | { readonly reason: "unknown"; readonly keyId: string }
  | {
    readonly reason: "revoked" | "expired" | "banned" | "unverified";
    readonly keyId: string;
    readonly accountId: string;
  };

const SEND_A_KEY = "Send it as `Authorization: Bearer <key>` or as `x-api-key: <key>`.";
const ASK_FOR_A_KEY = "Use another key of the account, or ask whoever runs this service for one.";

/** A caller who is refused: 401, or 403 where the key is good and the account is not. */
export class RefusedCaller extends PublicError {
  /** @param refusal for the log, which the answer does not repeat whole. */
  constructor(readonly refusal: Refusal) {
    super(...wordsOf(refusal));
  }
}

/** What a public error is made of. */
type PublicWords = ConstructorParameters<typeof PublicError>;

function wordsOf(refusal: Refusal): PublicWords {
  switch (refusal.reason) {
    case "missing":
      return unauthorized("The request has no API key.", SEND_A_KEY, false);
    case "scheme":
      return unauthorized(
        "The Authorization header has another scheme than Bearer.",
        SEND_A_KEY,
        false,
      );
    case "conflicting":
      return unauthorized(
        "The Authorization and x-api-key headers say different things.",
        "Send the key in one of them only.",
      );
    case "malformed":
      return unauthorized(
        "The API key does not have the form of this service's keys.",
        "A key begins with `foyer_` and is 57 characters long; send it whole, without quotes, " +
          "and not the key of another provider.",
      );
    case "mistyped":
      return unauthorized(
        "The API key has a typing mistake: its checksum does not fit.",
        "Copy the key anew from where it is kept.",
      );
    case "unknown":
      return unauthorized(`The API key ${refusal.keyId} is not known.`, ASK_FOR_A_KEY);
    case "revoked":
      return unauthorized(`The API key ${refusal.keyId} has been revoked.`, ASK_FOR_A_KEY);
    case "expired":
      return unauthorized(`The API key ${refusal.keyId} has expired.`, ASK_FOR_A_KEY);
    case "banned":
      return ["forbidden", `The account ${refusal.accountId} is banned.`, {
        hint:
          "Only whoever runs this service can lift the ban; write to them with the account's id.",
      }];
    case "unverified":
      return ["forbidden", `The account ${refusal.accountId} needs identity verification.`, {
        hint: "Ask whoever runs this service to verify the account, with its id; " +
          "the same key works afterwards.",
      }];
  }
}

/** RFC 9110, 11.6.1 asks for the challenge; RFC 6750, 3: an `error` only if a key was given. */
function unauthorized(message: string, hint: string, isKeyGiven = true): PublicWords {
  const challenge = `Bearer realm="foyer"${isKeyGiven ? ', error="invalid_token"' : ""}`;
  return ["unauthorized", message, { hint, headers: { "www-authenticate": challenge } }];
}
