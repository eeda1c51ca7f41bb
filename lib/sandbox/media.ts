// A stand-in for the media provider: Replicate's account, and the credit that its own website shows.

import { createProviderStandIn, type ProviderOptions, type ProviderStandIn } from "./provider.ts";
import {
  type CostFault,
  FIGURE,
  jsonAnswer,
  type ProviderAnswer,
  type ProviderRequest,
} from "./provider_answer.ts";
import type { FaultStatus } from "./provider_faults.ts";

/** The account behind the key. Tests may set each field at any time. */
interface MediaAccount {
  type: "user" | "organization";
  username: string;
  name: string;
  /** Dollars as decimal text. */
  unusedCredit: string;
}

/** A running stand-in for the media provider. */
interface MediaStandIn extends ProviderStandIn {
  /** The account as the next request sees it. */
  readonly account: MediaAccount;
}

/**
 * Creates a stand-in. It opens no port: serve `fetch`. The credit is shown to the key as a bearer token, and to a
 * browser's session, whose `sessionid` is the key.
 *
 * @example
 * ```ts
 * const media = createMediaStandIn({ apiKey: "key", now: () => 0 });
 * const headers = { Authorization: "Bearer key" };
 * const response = await media.fetch(new Request("http://media.test/v1/account", { headers }));
 * if ((await response.json()).username !== "sandbox") throw new Error("unexpected");
 * ```
 */
export function createMediaStandIn(options: ProviderOptions): MediaStandIn {
  const { apiKey } = options;
  const account: MediaAccount = {
    type: "organization",
    username: "sandbox",
    name: "Foyer sandbox",
    unusedCredit: "12.34",
  };

  function answer(
    { method, path, headers }: ProviderRequest,
    fault: CostFault | undefined,
  ): ProviderAnswer {
    const { type, username, name } = account;
    const hasKey = headers.get("Authorization") === `Bearer ${apiKey}`;
    if (method !== "GET") return refusal(404);
    if (path === "/v1/account") {
      if (!hasKey) return refusal(401);
      return jsonAnswer({ type, username, name, github_url: `https://github.example/${username}` });
    }
    const [, owner] = /^\/api\/users\/([^/]+)\/unused-credit$/.exec(path) ?? [];
    if (owner === undefined) return refusal(404);
    if (!hasKey && sessionOf(headers) !== apiKey) return refusal(401);
    return owner === encodeURIComponent(username) ? showCredit(fault) : refusal(404);
  }

  function showCredit(fault: CostFault | undefined): ProviderAnswer {
    if (fault?.kind === "missing-cost") return jsonAnswer({});
    if (fault?.kind !== "cost") return jsonAnswer({ unused_credit: account.unusedCredit });
    return jsonAnswer({ unused_credit: FIGURE }, { figure: fault.text });
  }

  const standIn = createProviderStandIn({ answer, refuse: refusal }, options);
  return Object.assign(standIn, { account });
}

function sessionOf(headers: Headers): string | undefined {
  const cookies = headers.get("Cookie")?.split(/; */) ?? [];
  return cookies.find((cookie) => cookie.startsWith("sessionid="))?.slice("sessionid=".length);
}

function refusal(status: FaultStatus): ProviderAnswer {
  const [title, detail] = PROBLEMS[status];
  return jsonAnswer({ title, detail, status }, {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });
}

const PROBLEMS: Readonly<Record<FaultStatus, readonly [title: string, detail: string]>> = {
  400: ["Bad request", "The request cannot be read."],
  401: ["Unauthenticated", "No valid token was sent."],
  402: ["Payment required", "The account has no credit left."],
  403: ["Forbidden", "This token may not do that."],
  404: ["Not found", "There is nothing here."],
  422: ["Unprocessable", "A field has a value that cannot be processed."],
  429: ["Too many requests", "Requests come too fast."],
  500: ["Internal error", "Something broke."],
  502: ["Bad gateway", "A server behind this one gave no valid answer."],
  503: ["Unavailable", "The service is not available."],
  529: ["Overloaded", "The service is overloaded."],
};
