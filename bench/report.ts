/** What was measured, as tables: for the terminal, for `results.json`, and between two marks of the README. */

import type { Figure, Ratio } from "./compare.ts";

const README = new URL("../README.md", import.meta.url);
const RESULTS = new URL("results.json", import.meta.url);
const [START, END] = ["<!-- figures -->", "<!-- /figures -->"];

/** Servers that were compared under one load. */
export interface Comparison {
  /** What they answered. */
  readonly name: string;
  readonly connections: number;
  /** Foyer first. */
  readonly figures: readonly Figure[];
}

/** A single figure, in words. */
export interface Fact {
  readonly name: string;
  readonly figure: string;
}

/** Everything that a run of the bench found. */
export interface Results {
  readonly machine: string;
  readonly how: string;
  readonly answers: readonly Comparison[];
  readonly proxy: readonly Comparison[];
  readonly facts: readonly Fact[];
}

/** The results as markdown. */
export function toMarkdown({ machine, how, answers, proxy, facts }: Results): string {
  return [
    `${machine}. ${how}`,
    ...[answers, proxy].filter(({ length }) => length > 0).map(comparisonTable),
    ...(facts.length > 0
      ? [table([["", "figure"], ...facts.map(({ name, figure }) => [name, figure])])]
      : []),
  ].join("\n\n");
}

/** Writes `bench/results.json`, and the tables into the README. */
export async function publish(results: Results): Promise<void> {
  await Deno.writeTextFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  const readme = await Deno.readTextFile(README);
  const [before, , after] = readme.split(new RegExp(`(?<=${START})([^]*)(?=${END})`));
  if (before === undefined || after === undefined) throw new Error("README.md lacks its marks");
  await Deno.writeTextFile(README, `${before}\n\n${toMarkdown(results)}\n\n${after}`);
  const files = [README, RESULTS].map(({ pathname }) => pathname);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", ...files] }).output();
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  const others = [
    ...new Set(comparisons.flatMap(({ figures }) => figures.slice(1).map(({ name }) => name))),
  ];
  return table([
    ["", "Foyer", ...others.flatMap((name) => [name, `Foyer's, of ${name}'s`])],
    ...comparisons.map(({ name, figures: [own, ...rest] }) => [
      name,
      rate(own),
      ...others.flatMap((other) => {
        const figure = rest.find(({ name }) => name === other);
        return [rate(figure), figure === undefined ? "" : formatRatio(figure.rateOfFirst)];
      }),
    ]),
  ]);
}

function rate(figure: Figure | undefined): string {
  return figure === undefined ? "" : `${Math.round(figure.perSecond).toLocaleString("en")}/s`;
}

/** A ratio as a cell: the middle of the rounds, with the lowest and the highest. */
export function formatRatio({ median, low, high }: Ratio): string {
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  return [head, head.map(() => "---"), ...rest].map((cells) => `| ${cells.join(" | ")} |`).join(
    "\n",
  );
}
