/**
 * The results of a run: as tables for the terminal and `bench/README.md`, as data in `results.json`, and
 * the rows that matter most in the project's README.
 */

import type { Figure, Ratio } from "./compare.ts";

const README = new URL("../README.md", import.meta.url);
const BENCH_README = new URL("README.md", import.meta.url);
const RESULTS = new URL("results.json", import.meta.url);
const [START, END] = ["<!-- figures -->", "<!-- /figures -->"];

/** Servers that were compared under one load. */
export interface Comparison {
  /** The responses. */
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

/** The comparisons in the project's README: what is answered, and beside whom. */
const HIGHLIGHTS = [
  ["list of 100 events", "bare Deno"],
  ["list, filtered", "Hono"],
  ["one event", "bare Deno"],
  ["home page", "bare Deno"],
  ["`/up`", "bare Deno"],
  ["web search of 1 KB, 1 connection", "Portkey"],
  ["web search of 1 KB, 16 connections", "Portkey"],
  ["web search of 1 KB, 64 connections", "Portkey"],
] as const;

/** Writes `bench/results.json`, all tables into `bench/README.md`, and the highlights into the README. */
export async function publish(results: Results): Promise<void> {
  await Deno.writeTextFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  await fillIn(BENCH_README, toMarkdown(results));
  await fillIn(README, highlightsTable(results));
  const files = [README, BENCH_README, RESULTS].map(({ pathname }) => pathname);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", ...files] }).output();
}

/** Replaces the text between the marks of a document. */
async function fillIn(document: URL, markdown: string): Promise<void> {
  const text = await Deno.readTextFile(document);
  const [before, , after] = text.split(new RegExp(`(?<=${START})([^]*)(?=${END})`));
  if (before === undefined || after === undefined) {
    throw new Error(`${document.pathname} lacks the lines ${START} and ${END}`);
  }
  await Deno.writeTextFile(document, `${before}\n\n${markdown}\n\n${after}`);
}

function highlightsTable({ answers, proxy }: Results): string {
  return table([
    ["", "Foyer", "beside", "", "ratio"],
    ...HIGHLIGHTS.map(([name, other]) => {
      const found = [...answers, ...proxy].find((comparison) => comparison.name === name);
      const figure = found?.figures.find((each) => each.name === other);
      if (found === undefined || figure === undefined) throw new Error(`${name} was not measured`);
      return [name, rate(found.figures[0]), other, rate(figure), formatRatio(figure.rateOfFirst)];
    }),
  ]);
}

function comparisonTable(comparisons: readonly Comparison[]): string {
  const others = [
    ...new Set(comparisons.flatMap(({ figures }) => figures.slice(1).map(({ name }) => name))),
  ];
  return table([
    ["", "Foyer", ...others.flatMap((name) => [name, `Foyer ÷ ${name}`])],
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
