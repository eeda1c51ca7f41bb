/** The memory of a thousand proxied requests that a provider has not answered yet. */

import { createCaller, startProvider, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import { residentMebibytes } from "./server.ts";

const REQUESTS = 1_000;
const ACCOUNTS = 4;
/** The provider answers after this time, when all requests have reached it long ago. */
const HOLD_MILLISECONDS = 12_000;
const LOOK_MILLISECONDS = 8_000;
const BODY_KIBIBYTES = [1, 60];

/** Measures a new process for each size of the bodies. */
export async function measureInFlight(folder: string): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const kibibytes of BODY_KIBIBYTES) {
    await using provider = await startProvider(HOLD_MILLISECONDS);
    const path = `${folder}/in-flight-${kibibytes}`;
    const callers: Record<string, string>[] = [];
    for (let count = 0; count < ACCOUNTS; count++) callers.push(await createCaller(path));
    await using foyer = await startProxy(path, provider);
    const before = residentMebibytes(foyer.pid);
    const body = JSON.stringify({ query: "x".repeat(kibibytes * 1024) });
    const requests = Array.from({ length: REQUESTS }, async (_, at) => {
      const headers = { ...callers[at % ACCOUNTS], "content-type": "application/json" };
      const url = `${foyer.origin}/proxy/v1/websearch/search`;
      const response = await fetch(url, { method: "POST", headers, body });
      await response.bytes();
      if (!response.ok) throw new Error(`a request got ${response.status}`);
    });
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    const each = (residentMebibytes(foyer.pid) - before) * 1024 / REQUESTS;
    await Promise.all(requests);
    facts.push({
      name: `memory of each of ${REQUESTS} requests in flight with bodies of ${kibibytes} KiB`,
      figure: `${Math.round(each)} KiB`,
    });
  }
  return facts;
}
