/** The memory of a thousand proxied requests that a provider has not answered yet, here and in a bare proxy. */

import { createCaller, startProvider, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import { startPassThrough } from "./proxy.ts";
import { residentMebibytes, type Server } from "./server.ts";

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
    const body = JSON.stringify({ query: "x".repeat(kibibytes * 1024) });
    const each: number[] = [];
    for (const start of [() => startProxy(path, provider), () => startPassThrough(provider)]) {
      await using server = await start();
      each.push(await memoryOfEach(server, callers, body));
    }
    const [own, bare] = each.map((bytes) => `${Math.round(bytes)} KiB`);
    facts.push({
      name: `memory of each of ${REQUESTS} requests in flight with bodies of ${kibibytes} KiB`,
      figure: `${own} (a bare proxy: ${bare})`,
    });
  }
  return facts;
}

/** The growth of a server's memory for each request, in KiB. */
async function memoryOfEach(
  server: Server,
  callers: readonly Readonly<Record<string, string>>[],
  body: string,
): Promise<number> {
  const before = residentMebibytes(server.pid);
  const requests = Array.from({ length: REQUESTS }, async (_, at) => {
    const headers = { ...callers[at % callers.length], "content-type": "application/json" };
    const url = `${server.origin}/proxy/v1/websearch/search`;
    const response = await fetch(url, { method: "POST", headers, body });
    await response.bytes();
    if (!response.ok) throw new Error(`a request got ${response.status}`);
  });
  await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  const grown = residentMebibytes(server.pid) - before;
  await Promise.all(requests);
  return grown * 1024 / REQUESTS;
}
