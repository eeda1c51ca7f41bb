/** An account for trying things out, which `deno task dev` makes in its own database. */

import { createAccount, createAuthenticator, createKey } from "../lib/accounts/mod.ts";
import { openKv } from "../lib/kv/mod.ts";

/**
 * The key of the demonstration account, the same at every start: its text is kept in a file, since the
 * database knows its hash only. A key that no longer works is replaced, with its account.
 *
 * @param keyFile a file that no other person can reach and no commit holds.
 */
export async function demonstrationKey(kvPath: string, keyFile: string): Promise<string> {
  const kv = await openKv(kvPath);
  try {
    const kept = await Deno.readTextFile(keyFile).catch(() => "");
    if (kept !== "" && await works(kv, kept)) return kept;
    const now = Date.now();
    const account = { name: "demonstration", limitNanoUsd: null, verified: true };
    const { id: accountId } = await createAccount(kv, account, now);
    const { text } = await createKey(kv, { accountId, label: "dev", expiresAt: null }, now);
    await Deno.writeTextFile(keyFile, text, { mode: 0o600 });
    return text;
  } finally {
    kv.close();
  }
}

/** Requests that show both groups of the proxy, as lines for a shell. */
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
  const authenticator = createAuthenticator({ kv, now: Date.now, log: { warn() {} } });
  const headers = new Headers({ authorization: `Bearer ${key}` });
  return await authenticator.authenticate(headers).then(() => true, () => false);
}
