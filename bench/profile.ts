/**
 * Where a proxied request's time goes on the thread that runs the service. Each folder's share includes the functions of
 * the runtime that it calls, except `fetch`, KV and the collection of garbage.
 */

import { createCaller, proxyEnvironment, startProvider } from "./foyer.ts";
import type { Fact } from "./report.ts";
import { startServer } from "./server.ts";
import { load, writeScript } from "./wrk.ts";

const CONNECTIONS = 16;
const WARM_UP_SECONDS = 6;
const SECONDS = 8;
/** Smaller shares are summed up. */
const LEAST_SHARE = 0.01;
/** A file of the service, and its folder. */
const OWN = /^(?!.*\/node_modules\/).*?\/(lib\/\w+(?:\/\w+(?=\/))?|middleware|routes|app\.ts)\b/;

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Profiles searches of 1 KB over sixteen connections. */
export async function profileProxy(folder: string): Promise<Fact[]> {
  await using provider = await startProvider();
  const [path, file] = [`${folder}/profile`, `${folder}/profile.json`];
  const headers = await createCaller(path);
  const script = await writeScript(folder, "profile", { query: "sourdough bread" });
  await using server = await startServer(() => ["bench/profiled.ts"], {
    path: "/proxy/v1/usage",
    env: (port) => ({ ...proxyEnvironment(port, path, provider), PROFILE: file }),
  });
  const subject = { name: "search", server, path: "/proxy/v1/websearch/search", script, headers };
  await load(subject, WARM_UP_SECONDS, CONNECTIONS);
  Deno.kill(server.pid, "SIGUSR2");
  await load(subject, SECONDS, CONNECTIONS);
  Deno.kill(server.pid, "SIGUSR2");
  return sharesOf(JSON.parse(await readWhenThere(file)));
}

async function readWhenThere(file: string): Promise<string> {
  for (;;) {
    const text = await Deno.readTextFile(file).catch(() => "");
    if (text.endsWith("}")) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function sharesOf({ nodes, samples, timeDeltas }: Profile): Fact[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const spent = new Map<string, number>();
  let total = 0;
  /** The time in the service's functions themselves, without the runtime's functions that they call. */
  let own = 0;
  samples.forEach((id, index) => {
    const owner = ownerOf(id);
    const time = timeDeltas[index] ?? 0;
    if (owner === null) return;
    total += time;
    spent.set(owner, (spent.get(owner) ?? 0) + time);
    if (OWN.test(byId.get(id)?.callFrame.url ?? "")) own += time;
  });

  /** Whose time a sample is: a call of the provider or of KV, the service's innermost frame, or the runtime. */
  function ownerOf(sample: number): string | null {
    const leaf = byId.get(sample)?.callFrame;
    if (leaf === undefined || leaf.functionName === "(idle)") return null;
    // The profiler's own.
    if (leaf.url.includes("inspector")) return null;
    if (leaf.functionName === "(garbage collector)") return "collecting garbage";
    for (let at: number | undefined = sample; at !== undefined; at = parents.get(at)) {
      const { url = "" } = byId.get(at)?.callFrame ?? {};
      if (url.endsWith("/26_fetch.js")) return "the runtime's fetch";
      if (url.startsWith("ext:deno_kv/")) return "the runtime's KV";
      const folder = OWN.exec(url)?.[1];
      if (folder !== undefined) return folder;
    }
    const extension = /^ext:(?:deno_)?(\w+)/.exec(leaf.url)?.[1];
    return extension === undefined ? "the engine" : `the runtime's ${extension}`;
  }

  const shares = [...spent].map(([name, time]) => ({ name, share: time / total }))
    .toSorted((one, other) => other.share - one.share);
  const large = shares.filter(({ share }) => share >= LEAST_SHARE);
  const rest = 1 - large.reduce((sum, { share }) => sum + share, 0);
  const all = [
    ...large,
    { name: "the rest", share: rest },
    { name: "Foyer's own functions in all of these", share: own / total },
  ];
  return all.map(({ name, share }) => ({
    name: `share of a search's computing time: ${name}`,
    figure: `${Math.round(share * 100)} %`,
  }));
}
