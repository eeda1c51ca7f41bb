/** Members for the tests: an account that is verified, and a key of it. */

import { createAccount } from "../../lib/accounts/account.ts";
import { createKey } from "../../lib/accounts/key.ts";
import { openKv } from "../../lib/kv/open.ts";

/** A member's account and key. */
export interface Member {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** Creates one in an open database; `limitNanoUsd` is the default one if it is null. */
export async function createMember(
  kv: Deno.Kv,
  limitNanoUsd: bigint | null = null,
  now = Date.now(),
): Promise<Member> {
  const account = await createAccount(kv, { name: "member", limitNanoUsd, verified: true }, now);
  const asked = { accountId: account.id, label: null, expiresAt: null };
  const { key, text } = await createKey(kv, asked, now);
  return { accountId: account.id, keyId: key.id, key: text };
}

/** Creates one in a database that no process has open yet. */
export async function createMemberAt(
  path: string,
  limitNanoUsd: bigint | null = null,
): Promise<Member> {
  using kv = await openKv(path);
  return await createMember(kv, limitNanoUsd);
}
