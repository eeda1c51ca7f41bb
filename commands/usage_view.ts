/** Renders usage as a table and as JSON. */

import {
  type Answer,
  type Group,
  type Question,
  type RefusalCount,
  refusalInWords,
  type Totals,
} from "../lib/proxy/mod.ts";
import { formatUsd, type NanoUsd, toUsd } from "../lib/platform/money.ts";
import { alignColumns, printable } from "./values.ts";

/** An answer and its question. */
interface Report {
  readonly question: Question;
  readonly answer: Answer;
  /** Requests that were refused, which the answer does not count. */
  readonly refused: readonly RefusalCount[];
  /** Names of accounts by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Today's limit of each account, by id; null for a report of other days or groups. */
  readonly limits: ReadonlyMap<string, NanoUsd> | null;
}

/**
 * The report for `--json`. `costNanoUsd` is exact: it is text, since numbers are less precise. Details are null if the
 * answer has none.
 */
export function toUsageJson({ question, answer, refused, names, limits }: Report) {
  const { from, to, by, accountId } = question;
  const identify = (key: string | null) => ({
    [by]: by === "status" && key !== null ? Number(key) : key,
    ...(by === "account" ? { name: nameOf(key, names) } : {}),
  });
  return {
    from,
    to,
    by,
    account: accountId,
    groups: answer.groups.map(({ key, totals }) => {
      const limit = limits?.get(key ?? "");
      return {
        ...identify(key),
        ...toTotalsJson(totals),
        ...limits !== null && {
          limitUsd: limit === undefined ? null : toUsd(limit),
          shareOfLimit: limit === undefined ? null : shareOf(totals.cost, limit),
        },
      };
    }),
    total: toTotalsJson(answer.total),
    refused: refused.map(({ key, ...count }) => ({ ...identify(key), ...count })),
  };
}

function toTotalsJson({ requests, failed, cost, details }: Totals) {
  return {
    requests,
    failed,
    costUsd: toUsd(cost),
    costNanoUsd: String(cost),
    inputTokens: details && Number(details.inputTokens),
    outputTokens: details && Number(details.outputTokens),
    medianMs: details && details.medianMs,
    p95Ms: details && details.p95Ms,
  };
}

/** The report for people: a table with the total below. */
export function renderUsage(report: Report): string {
  const refused = report.refused.length === 0 ? "" : `\n\n${renderRefused(report)}`;
  return renderTotals(report) + refused;
}

function renderRefused({ question: { by }, refused, names }: Report): string {
  return alignColumns([
    ["REFUSED", by.toUpperCase(), "WHY"],
    ...refused.map(({ key, requests, ...refusal }) => [
      String(requests),
      labelOf(key, by, names),
      printable(refusalInWords(refusal)),
    ]),
  ]).join("\n");
}

function labelOf(key: string | null, by: Question["by"], names: Report["names"]): string {
  const name = by === "account" ? nameOf(key, names) : null;
  return printable(key ?? "(none)") + (name === null ? "" : `  ${printable(name)}`);
}

function renderTotals(
  { question: { from, to, by }, answer, refused, names, limits }: Report,
): string {
  if (answer.groups.length === 0) {
    const what = refused.length === 0 ? "No requests" : "No requests were charged";
    return `${what} ${from === to ? `on ${from}` : `from ${from} to ${to}`} (UTC).`;
  }
  const columns = answer.total.details === null ? SUM_COLUMNS : [...SUM_COLUMNS, ...DETAIL_COLUMNS];
  const numbers = (totals: Totals) => columns.map(([, format]) => format(totals));
  const limitOf = ({ key, totals: { cost } }: Group): string[] => {
    if (limits === null) return [];
    const limit = limits.get(key ?? "");
    if (limit === undefined) return ["-", "-"];
    const share = shareOf(cost, limit);
    return [formatUsd(limit), `${Math.floor(100 * share)}%${share >= NEAR ? " !" : ""}`];
  };
  const heads = limits === null ? [] : ["LIMIT USD", "USED"];
  const rows = [
    [by.toUpperCase(), ...columns.map(([title]) => title), ...heads],
    ...answer.groups.map((group) => [
      labelOf(group.key, by, names),
      ...numbers(group.totals),
      ...limitOf(group),
    ]),
    ["total", ...numbers(answer.total)],
  ];
  return alignColumns(rows, 1).join("\n");
}

type Column = readonly [title: string, format: (totals: Totals) => string];

const SUM_COLUMNS: readonly Column[] = [
  ["REQUESTS", ({ requests }) => String(requests)],
  ["FAILED", ({ failed }) => String(failed)],
  ["COST USD", ({ cost }) => formatUsd(cost)],
];

const DETAIL_COLUMNS: readonly Column[] = [
  ["TOKENS IN", ({ details }) => String(details?.inputTokens ?? "-")],
  ["TOKENS OUT", ({ details }) => String(details?.outputTokens ?? "-")],
  ["MEDIAN MS", ({ details }) => String(details?.medianMs ?? "-")],
  ["P95 MS", ({ details }) => String(details?.p95Ms ?? "-")],
];

/** From this part of its limit on, an account is marked. */
const NEAR = 0.8;

/** The part of a limit that is spent. */
function shareOf(cost: NanoUsd, limit: NanoUsd): number {
  return limit === 0n ? 1 : toUsd(cost) / toUsd(limit);
}

/** Null for keys without one, such as accounts of another database. */
function nameOf(key: string | null, names: ReadonlyMap<string, string>): string | null {
  return key === null ? null : names.get(key) ?? null;
}
