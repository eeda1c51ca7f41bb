/** How long a newcomer waits: from `git clone` to the first answer of `deno task dev`, nothing cached. */

import { freePort } from "../tests/support/free_port.ts";
import type { Fact } from "./report.ts";

const root = new URL("..", import.meta.url).pathname;
const PATIENCE_MILLISECONDS = 300_000;
const POLL_MILLISECONDS = 50;

/** Clones the last commit into the folder and starts it there. Packages come from their registry. */
export async function measureFirstAnswer(folder: string): Promise<Fact[]> {
  const clone = `${folder}/clone`;
  const port = freePort();
  const startedAt = performance.now();
  const { success } = await new Deno.Command("git", { args: ["clone", "-q", root, clone] })
    .output();
  if (!success) throw new Error("git cannot clone the repository");
  const cloned = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "dev"],
    cwd: clone,
    env: { PORT: String(port), DENO_DIR: `${folder}/cache` },
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await untilAnswered(`http://127.0.0.1:${port}/api/v1/events?limit=1`);
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
  const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(0)} s`;
  return [{
    name: "from `git clone` to the first answer of `deno task dev`, with an empty cache",
    figure: `${seconds(startedAt)}, ${seconds(cloned)} of them after the clone`,
  }];
}

/** @throws {Error} if there is no answer for five minutes. */
async function untilAnswered(url: string): Promise<void> {
  for (const since = performance.now(); performance.now() - since < PATIENCE_MILLISECONDS;) {
    const status = await fetch(url).then(async (response) => {
      await response.body?.cancel();
      return response.status;
    }, () => null);
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
  throw new Error("deno task dev never answered");
}
