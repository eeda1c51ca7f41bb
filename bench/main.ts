/**
 * `deno task bench [answers|proxy|size|load|site|remote]`: the figures, each in the file of its name. Without an
 * argument the results go to `results.json`, `bench/README.md` and the project's README. `remote` is measured only if
 * it is named, and needs `--kv`, the address of an empty KV Connect server.
 * BENCH_ROUNDS and BENCH_SECONDS say how long to measure, BENCH_BESIDE names another built checkout
 * whose answers are measured too, and its folder: `upstream Fresh=/folder`. Needs wrk, on Linux.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import { Builder } from "fresh/dev";
import config from "../fresh.config.ts";
import { compareAnswers } from "./answers.ts";
import type { Patience } from "./compare.ts";
import { measureLoad } from "./load.ts";
import { compareProxies } from "./proxy.ts";
import { measureRemote } from "./remote.ts";
import { type Fact, publish, type Results, toMarkdown } from "./report.ts";
import { measureSite } from "./site.ts";
import { measureSize } from "./size.ts";

const PATIENCE: Patience = {
  rounds: Number(Deno.env.get("BENCH_ROUNDS") || 5),
  seconds: Number(Deno.env.get("BENCH_SECONDS") || 3),
};

/** The measurements besides the comparisons, in the order of `bench/README.md`. */
const MEASURES: Readonly<Record<string, (folder: string) => Promise<Fact[]>>> = {
  size: (folder) => measureSize(folder, PATIENCE),
  load: measureLoad,
  site: measureSite,
};

const folder = await Deno.makeTempDir();
await (new Builder(config)).build();

const { positionals: [only], values: { kv } } = parseArgs({
  allowPositionals: true,
  options: { kv: { type: "string", default: "" } },
});
const isAsked = (name: string) => only === undefined || only === name;
const proxy = isAsked("proxy") ? await compareProxies(folder, PATIENCE) : null;
const answers = isAsked("answers") ? await compareAnswers(folder, PATIENCE) : [];
const facts = [...proxy?.facts ?? []];
for (const [name, measure] of Object.entries(MEASURES)) {
  if (isAsked(name)) facts.push(...await measure(folder));
}
if (only === "remote") facts.push(...await measureRemote(folder, kv, PATIENCE.seconds));
const results: Results = {
  machine: machine(),
  how:
    `${PATIENCE.rounds} rounds of ${PATIENCE.seconds} s, after two to warm up. A round loads the ` +
    "servers one after the other, and begins with another one than the round before. A rate is the " +
    "middle of the rounds; a ratio is that of one round: the middle, with the lowest and the highest.",
  answers,
  proxy: proxy?.comparisons ?? [],
  facts,
};
console.log(toMarkdown(results));
if (only === undefined) await publish(results);
await Deno.remove(folder, { recursive: true });

function machine(): string {
  const cpu = /model name\s*: (.*)/.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? "unknown";
  return `${cpu}, ${navigator.hardwareConcurrency} cores, Deno ${Deno.version.deno}`;
}
