/** A backup and its restoration, of a million usage records: how long they take, and how much memory. */

import type { Fact } from "./report.ts";
import { fillDatabase } from "./proxy.ts";
import { peakMebibytes } from "./server.ts";

const ACCOUNTS = 10_000;
const USAGE_RECORDS = 1_000_000;
const LOOK_MILLISECONDS = 200;

/** Measures both commands as processes. */
export async function measureBackup(folder: string): Promise<Fact[]> {
  await fillDatabase(`${folder}/whole`, ACCOUNTS, USAGE_RECORDS);
  const facts: Fact[] = [];
  for (const [tool, database] of [["backup", "whole"], ["restore", "restored"]] as const) {
    const startedAt = performance.now();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "commands/foyer.ts", tool, `${folder}/copy.gz`],
      env: { KV_PATH: `${folder}/${database}` },
      stdout: "null",
    }).spawn();
    let most = 0;
    const timer = setInterval(() => {
      try {
        most = Math.max(most, peakMebibytes(child.pid));
      } catch {
        // It has ended.
      }
    }, LOOK_MILLISECONDS);
    const { success } = await child.status;
    clearInterval(timer);
    if (!success) throw new Error(`${tool} failed`);
    const seconds = (performance.now() - startedAt) / 1000;
    const { size } = await Deno.stat(`${folder}/copy.gz`);
    facts.push({
      name: `${tool} of ${USAGE_RECORDS.toLocaleString("en")} usage records`,
      figure: `${seconds.toFixed(1)} s, ${Math.round(most)} MiB at most, ${
        Math.round(size / 2 ** 20)
      } MiB of file`,
    });
  }
  return facts;
}
