/** The time that a key's own daily limit and the limit of all accounts add to a search. */
// deno-lint-ignore-file no-console -- it tells how far it is

import { createAccount } from "../lib/proxy/accounts/account.ts";
import { createKey } from "../lib/proxy/accounts/key.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { compare, type Patience } from "./compare.ts";
import { createCaller, startProvider, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import { writeScript } from "./wrk.ts";
import { madeBy } from "../tests/support/made_by.ts";

const SEARCH = "/proxy/v1/websearch/search";
/** The value of both limits, which is never reached. */
const LIMIT_USD = 1_000_000n;
const CONNECTIONS = [1, 16] as const;

/** Compares two processes that differ only in these limits. */
export async function measureLimits(folder: string, patience: Patience): Promise<Fact[]> {
  await using provider = await startProvider();
  const script = await writeScript(folder, "limits", { query: "sourdough bread", numResults: 3 });
  const [free, capped] = [
    await createCaller(`${folder}/free`),
    await createCappedCaller(`${folder}/capped`),
  ];
  await using freeServer = await startProxy(`${folder}/free`, provider);
  await using cappedServer = await startProxy(`${folder}/capped`, provider, {
    SERVICE_DAILY_LIMIT_USD: String(LIMIT_USD),
  });
  const subject = { script, path: SEARCH };
  const facts: Fact[] = [];
  for (const connections of CONNECTIONS) {
    const [own, other] = await compare(
      [
        { ...subject, name: "with limits", server: cappedServer, headers: capped },
        { ...subject, name: "without", server: freeServer, headers: free },
      ],
      connections,
      patience,
    );
    facts.push({
      name:
        `computing time of a search with a key's limit and the service's ÷ without, ${connections} ` +
        `connection${connections > 1 ? "s" : ""}`,
      figure: `${(own.microseconds / other.microseconds).toFixed(2)} ` +
        `(${Math.round(own.microseconds)} and ${Math.round(other.microseconds)} µs)`,
    });
  }
  console.error("limits: measured");
  return facts;
}

async function createCappedCaller(path: string): Promise<Record<string, string>> {
  using kv = await openKv(path);
  const asked = { name: "capped", limitNanoUsd: null, verified: true };
  const { id: accountId } = await createAccount(kv, asked, madeBy(Date.now()));
  const cap = LIMIT_USD * 1_000_000_000n;
  const { text } = await createKey(
    kv,
    { accountId, label: null, expiresAt: null, cap },
    madeBy(Date.now()),
  );
  return { authorization: `Bearer ${text}` };
}
