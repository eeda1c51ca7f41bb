/** Runs files of tests in a copy of the tree: without a fault, to measure them, and with one. */

import type { Baseline } from "./nearest.ts";

/** A fault may make a loop endless, which counts as found. The machine may be busy. */
const PATIENCE_MILLISECONDS = 30_000;
const PATIENCE_FACTOR = 5;

/** Runs a file of tests in a tree without a fault, and measures which lines ran in its isolate. */
export async function measureBaseline(
  test: string,
  tree: string,
  digest: string,
): Promise<Baseline> {
  const coverage = await Deno.makeTempDir();
  const startedAt = performance.now();
  const passes = await runTest(test, tree, 600_000, [
    "--coverage-raw-data-only",
    `--coverage=${coverage}`,
  ]);
  const milliseconds = Math.round(performance.now() - startedAt);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["coverage", "--quiet", "--lcov", `--exclude=/(tests|node_modules)/`, coverage],
    cwd: tree,
    stderr: "null",
  }).output();
  await Deno.remove(coverage, { recursive: true });
  return { digest, passes, milliseconds, lines: readLines(new TextDecoder().decode(stdout), tree) };
}

/** Whether a file of tests passes with a fault in the tree. */
export function passesWithFault(test: string, tree: string, baseline: Baseline): Promise<boolean> {
  return runTest(
    test,
    tree,
    PATIENCE_MILLISECONDS + PATIENCE_FACTOR * baseline.milliseconds,
    [],
  );
}

async function runTest(
  test: string,
  cwd: string,
  milliseconds: number,
  options: readonly string[],
): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--quiet", "--fail-fast", "--lock=tests/deno.lock"],
      ...options,
      test,
    ],
    cwd,
    stdout: "null",
    stderr: "null",
    signal: AbortSignal.timeout(milliseconds),
  }).output();
  return success;
}

/** The lines of each file that ran, by its path in the tree, from a report in the LCOV format. */
function readLines(lcov: string, tree: string): Record<string, number[]> {
  const lines: Record<string, number[]> = {};
  let path = "";
  for (const entry of lcov.split("\n")) {
    if (entry.startsWith("SF:")) path = entry.slice(`SF:${tree}/`.length);
    const [, line] = entry.match(/^DA:(\d+),[1-9]/) ?? [];
    if (line !== undefined) (lines[path] ??= []).push(Number(line));
  }
  return lines;
}
