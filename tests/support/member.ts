/** Members for the tests: a verified account with a key. */

import { createAccount } from "../../lib/accounts/account.ts";
import { createKey } from "../../lib/accounts/key.ts";
import { openKv } from "../../lib/platform/kv/open.ts";
import { madeBy } from "./made_by.ts";

/** A member's account and key. */
export type Member = Awaited<ReturnType<typeof createMember>>;

/** Creates a member in an open database; if `limitNanoUsd` is null, the default limit holds. */
export async function createMember(
  kv: Deno.Kv,
  limitNanoUsd: bigint | null = null,
  now = Date.now(),
) {
  const account = await createAccount(
    kv,
    { name: "member", limitNanoUsd, verified: true },
    madeBy(now),
  );
  const asked = { accountId: account.id, label: null, expiresAt: null };
  const { key, text } = await createKey(kv, asked, madeBy(now));
  return { accountId: account.id, keyId: key.id, key: text };
}

/** Creates a member in a database that no process has opened yet. */
export async function createMemberAt(
  path: string,
  limitNanoUsd: bigint | null = null,
): Promise<Member> {
  using kv = await openKv(path);
  return await createMember(kv, limitNanoUsd);
}

/** A key's text with another last character, which no key has: its checksum is wrong. */
export function mistype(text: string): string {
  return text.slice(0, -1) + (text.endsWith("a") ? "b" : "a");
}
