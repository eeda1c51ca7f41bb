import { TypeSafeClient } from "@typesafe-ai/sdk";
import { startFoyer } from "../support/foyer.ts";
import { booksOf, holdTimers, until } from "./support.ts";
const QUESTION = { state: "I was charged twice. Please help.", questions: { billing: { type: "noul" as const } } };
const real = globalThis.setTimeout;
const sleep = (ms: number) => new Promise((r) => real(r, ms));
for (const [held, books] of [[false, true], [true, false], [true, true], [false, true], [true, true]]) {
  const foyer = await startFoyer();
  const member = await foyer.createMember();
  const client = new TypeSafeClient({ apiKey: member.key, baseURL: foyer.origin + "/proxy/v1/decision", retry: { maxRetries: 1, backoffInitialMs: 0 } });
  const timers = held ? holdTimers() : undefined;
  foyer.decision.faults.push({ kind: "hang" });
  const c = new AbortController();
  const p = client.systemOne(QUESTION, { timeout: held ? 10_000 : 4000 }).then(() => "ok", String);
  await until(() => foyer.decision.active === 1);
  if (books) await booksOf(foyer, member);
  if (held) await timers!.expire(10_000);
  console.log(await p);
  const t = performance.now();
  const ended = await Promise.race([foyer.decision.requests[0]!.ended, sleep(8000).then(() => "NOT ENDED after 8 s")]);
  console.log({ held, books }, ended, Math.round(performance.now() - t), "ms", foyer.decision.active);
  timers?.[Symbol.dispose]();
  if (ended === "aborted") await foyer[Symbol.asyncDispose]();
}
Deno.exit();
