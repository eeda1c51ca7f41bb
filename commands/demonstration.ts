/** A demonstration account, which `deno task dev` creates in its own database. */

import { createAccount } from "../lib/accounts/account.ts";
import { createAuthenticator } from "../lib/accounts/authenticate.ts";
import { createKey } from "../lib/accounts/key.ts";
import { openKv } from "../lib/platform/kv/open.ts";

/**
 * The key of the demonstration account, the same at every start: a file keeps its text, since the database
 * holds only its hash. A key that no longer works is replaced, with its account.
 *
 * @param keyFile a file that only its owner can read, and that is never committed.
 */
export async function demonstrationKey(kvPath: string, keyFile: string): Promise<string> {
  const kv = await openKv(kvPath);
  try {
    const kept = await Deno.readTextFile(keyFile).catch(() => "");
    if (kept !== "" && await works(kv, kept)) return kept;
    const origin = { at: Date.now(), by: { command: "dev", user: null } };
    const account = { name: "demonstration", limitNanoUsd: null, verified: true };
    const { id: accountId } = await createAccount(kv, account, origin);
    const { text } = await createKey(kv, { accountId, label: "dev", expiresAt: null }, origin);
    await Deno.writeTextFile(keyFile, text, { mode: 0o600 });
    return text;
  } finally {
    kv.close();
  }
}

/** Sample requests for both parts of the proxy, as shell commands. */
export function demonstrationRequests(baseUrl: string, key: string): string[] {
  const post = (path: string, body: unknown) =>
    `curl -s ${baseUrl}/proxy/v1/${path} -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    post("websearch/search", { query: "sourdough bread", numResults: 3 }),
    post("decision/systemone", {
      state: "The parcel came late and was broken.",
      questions: { upset: { type: "noul", instructions: "Is the customer upset?" } },
    }),
  ];
}

async function works(kv: Deno.Kv, key: string): Promise<boolean> {
  const authenticator = createAuthenticator({
    kv,
    now: Date.now,
    log: { warn() {} },
    config: { BASE_URL: "" },
  });
  const headers = new Headers({ authorization: `Bearer ${key}` });
  return await authenticator.authenticate(headers).then(() => true, () => false);
}
