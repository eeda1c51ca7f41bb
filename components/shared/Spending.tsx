/** An account's spending in words, as a bar, by endpoint and by day. */

import type { ComponentChildren } from "preact";
import type { DayUsage, Usage } from "../../lib/proxy/usage.ts";
import { isNearLimit, NEAR_LIMIT_LEFT_PERCENT } from "../../lib/platform/money.ts";
import { grouped } from "../../lib/platform/text.ts";
import { DaysChart } from "./DaysChart.tsx";
import { Moment } from "./moments.tsx";
import { Operators } from "./site.tsx";
import { Table } from "./Table.tsx";

/** The advice to members who need more. */
function Ask() {
  return (
    <>
      If you need a higher limit, ask <Operators />.
    </>
  );
}

/** How close an account is to its limit. Nothing is admitted once nothing is left. */
function stateOf({ spentUsd, reservedUsd, limitUsd, remainingUsd }: Usage) {
  if (remainingUsd <= 0) return "blocked";
  return isNearLimit(spentUsd + reservedUsd, limitUsd) ? "near" : "calm";
}

/**
 * Today against the limit, in words and as a bar, with the rate limit; where requests are refused, until when, and what
 * the reader can do.
 */
export function Standing({ usage, advice = <Ask /> }: {
  readonly usage: Usage;
  readonly advice?: ComponentChildren;
}) {
  const { spentUsd, reservedUsd, limitUsd, remainingUsd, resetsAt, rateLimit } = usage;
  const { limit, remaining, windowSeconds, resetsAt: nextAt } = rateLimit;
  const state = stateOf(usage);
  const part = (amount: number) => Math.min(100, limitUsd === 0 ? 0 : 100 * amount / limitUsd);
  const minutes = Math.round(windowSeconds / 60);
  const reset = (at: string) => <Moment at={Date.parse(at)} now={Date.parse(usage.day)} />;
  const spent = (
    <>
      <Dollars amount={spentUsd} /> of <Dollars amount={limitUsd} /> spent today
      {reservedUsd > 0 && (
        <>
          , <Dollars amount={reservedUsd} /> reserved
        </>
      )}
    </>
  );
  return (
    <>
      {state === "blocked"
        ? (
          <div class="verdict down">
            <p class="lede">
              Blocked until{" "}
              {spentUsd < limitUsd && "requests in progress end, at the latest until "}
              {reset(resetsAt)}.
            </p>
            <p>
              {spent}: further requests are refused. {advice}
            </p>
          </div>
        )
        : (
          <>
            <p class="left-today">
              <strong>
                <Dollars amount={remainingUsd} />
              </strong>{" "}
              left today
            </p>
            <p>{spent}.</p>
          </>
        )}
      {/* Today's limit as a bar: spent, reserved, left. */}
      <svg
        class={`usage-bar ${state}`}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect width="100" height="4" class="left" />
        <rect width={part(spentUsd + reservedUsd)} height="4" class="reserved" />
        <rect width={part(spentUsd)} height="4" class="spent" />
      </svg>
      <p>
        {state === "near" && `Less than ${NEAR_LIMIT_LEFT_PERCENT} % of today’s limit is left. `}
        The next day begins on {reset(resetsAt)}. {remaining > 0
          ? `${grouped(remaining)} of ${grouped(limit)} requests are left in ${minutes} minutes.`
          : (
            <>
              All {grouped(limit)} requests of {minutes}{" "}
              minutes are used: the next one is possible on {reset(nextAt)}.
            </>
          )}
      </p>
    </>
  );
}

/** The spending of all days as a chart and by endpoint, and each day as a row of a table. */
export function Spending({ usage }: { usage: Usage }) {
  const days = [usage, ...usage.days ?? []];
  const used = days.filter(({ requests }) => requests > 0);
  return (
    <>
      <h2 id="usage">Last {days.length} days</h2>
      {used.length === 0 ? <p>No requests yet.</p> : (
        <>
          <div class="pairs">
            {used.some((each) => each.spentUsd > 0) && (
              <SpendingChart days={days} limitUsd={usage.limitUsd} />
            )}
            <SpendingTable label="By endpoint" first="Endpoint" rows={sumsOf(used)} />
          </div>
          <details>
            <summary>By day</summary>
            <SpendingTable label="By day" first="Day" rows={used.map((each) => [each.day, each])} />
          </details>
        </>
      )}
    </>
  );
}

type Sum = Pick<DayUsage, "requests" | "spentUsd">;

function sumsOf(days: readonly DayUsage[]): [name: string, sum: Sum][] {
  const sums = new Map<string, Sum>();
  for (const [name, { requests, spentUsd }] of days.flatMap((d) => Object.entries(d.byEndpoint))) {
    const sum = sums.get(name) ?? { requests: 0, spentUsd: 0 };
    // Amounts are whole nano-dollars, and binary fractions are not.
    const exact = Number((sum.spentUsd + spentUsd).toFixed(9));
    sums.set(name, { requests: sum.requests + requests, spentUsd: exact });
  }
  return [...sums].sort(([a], [b]) => a < b ? -1 : 1);
}

/** The height of the chart, and the smallest height of a bar. */
const HEIGHT = 40;
const MIN_HEIGHT = 1;

/** A bar for each day, from the last to the first; tables have the same figures. */
export function SpendingChart({ days, limitUsd }: {
  readonly days: readonly Pick<DayUsage, "day" | "spentUsd">[];
  readonly limitUsd?: number;
}) {
  const highest = Math.max(...days.map(({ spentUsd }) => spentUsd));
  const over = limitUsd === undefined
    ? 0
    : days.filter(({ spentUsd }) => spentUsd >= limitUsd).length;
  const which = limitUsd === undefined ? "" : "the last ";
  const label = `Spending on ${which}${days.length} days: ${dollars(highest)} at most` +
    (over > 0 ? `; ${over} of them reached today’s limit` : "");
  return (
    <figure>
      <figcaption class="fine">{dollars(highest)} at most on a day</figcaption>
      <DaysChart
        label={label}
        height={HEIGHT}
        days={days.map(({ day, spentUsd }) => {
          const height = Math.max(MIN_HEIGHT, HEIGHT * spentUsd / highest);
          const bar = { y: HEIGHT - height, height, class: spentUsd > 0 ? "spent" : "left" };
          return { title: `${day}: ${dollars(spentUsd)}`, bars: [bar] };
        })}
      />
      <p class="row ends fine" aria-hidden="true">
        <span>{days.at(-1)?.day}</span>
        <span>{limitUsd === undefined ? days[0]?.day : "today"}</span>
      </p>
    </figure>
  );
}

function SpendingTable({ label, first, rows }: {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly (readonly [name: string, sum: Sum])[];
}) {
  return (
    <Table
      label={label}
      head={[first, "Requests", "Spent"]}
      rows={rows.map(([name, { requests, spentUsd }]) => [
        name,
        grouped(requests),
        dollars(spentUsd),
      ])}
      hasFigures
    />
  );
}

/** An amount to the cent, or exactly if it is below one; more decimals are in a tooltip and read aloud. */
export function Dollars({ amount }: { amount: number }) {
  const exact = dollars(amount);
  const short = amount < 0.01 ? exact : dollars(amount, 2);
  if (short === exact) return <>{exact}</>;
  return (
    <span class="amount" title={exact}>
      <span aria-hidden="true">{short}</span>
      <span class="hidden">{exact}</span>
    </span>
  );
}

/** An exact amount; a request may cost a thousandth of a cent, and all are whole nano-dollars. */
export function dollars(amount: number, maximumFractionDigits = 9): string {
  return amount.toLocaleString("en", { style: "currency", currency: "USD", maximumFractionDigits });
}
