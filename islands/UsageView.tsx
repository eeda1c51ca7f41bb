/**
 * A member's spending as a chart, requested with the key that the member pastes. The key is kept in its field
 * and nowhere else; the field has no name, so that no form puts the key into an address.
 */

import { useRef, useState } from "preact/hooks";
import { DaysChart } from "../components/DaysChart.tsx";
import { Table } from "../components/Table.tsx";
import type { DayUsage, Usage } from "../lib/proxy/mod.ts";
import { NO_RESPONSE } from "../lib/reference/browser.ts";

const DAYS = 30;

/** The field for the key, and the usage of its account. */
export default function UsageView() {
  const field = useRef<HTMLInputElement>(null);
  const [usage, setUsage] = useState<Usage | null>(null);
  const [status, setStatus] = useState("");

  async function show(event: Event): Promise<void> {
    event.preventDefault();
    setStatus("Loading…");
    const usage = await fetchUsage(field.current?.value.trim() ?? "");
    setUsage(typeof usage === "string" ? null : usage);
    setStatus(typeof usage === "string" ? usage : spendingText(usage));
  }

  return (
    <>
      <form class="usage-form row" onSubmit={show}>
        <label for="key">API key</label>
        <input
          ref={field}
          id="key"
          type="password"
          autoComplete="current-password"
          spellcheck={false}
          required
          placeholder="foyer_…"
        />
        <button type="submit">Show</button>
      </form>
      <p class="lede" role="status">{status}</p>
      {usage !== null && <Spending usage={usage} />}
    </>
  );
}

/** The usage, or the message of an error. */
async function fetchUsage(key: string): Promise<Usage | string> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`/proxy/v1/usage?days=${DAYS}`, { headers, cache: "no-store" });
    const body = await response.json();
    // The service answers with its own type.
    return response.ok ? body.data as Usage : String(body.error.message);
  } catch {
    return NO_RESPONSE;
  }
}

function spendingText({ spentUsd, limitUsd, remainingUsd, reservedUsd }: Usage): string {
  const reserved = reservedUsd > 0 ? `, ${dollars(reservedUsd)} reserved` : "";
  return `${dollars(spentUsd)} of ${dollars(limitUsd)} spent today${reserved}, ` +
    `${dollars(remainingUsd)} left.`;
}

function Spending({ usage }: { usage: Usage }) {
  const { rateLimit: { limit, remaining, windowSeconds }, resetsAt } = usage;
  const { spentUsd, reservedUsd, limitUsd } = usage;
  const part = (amount: number) => Math.min(100, limitUsd === 0 ? 0 : 100 * amount / limitUsd);
  const days = [usage, ...usage.days ?? []];
  const nextDay = new Date(resetsAt).toLocaleTimeString("en-GB", { timeStyle: "short" });
  return (
    <>
      {/* Today's limit as a bar: spent, reserved, left. */}
      <svg class="usage-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="4" class="left" />
        <rect width={part(spentUsd + reservedUsd)} height="4" class="reserved" />
        <rect width={part(spentUsd)} height="4" class="spent" />
      </svg>
      <p>
        The next day begins at {nextDay}, your time. {remaining.toLocaleString("en")} of{" "}
        {limit.toLocaleString("en")} requests are left in {Math.round(windowSeconds / 60)} minutes.
      </p>
      <h2>By endpoint, today</h2>
      <SpendingTable
        label="By endpoint, today"
        first="Endpoint"
        rows={Object.entries(usage.byEndpoint)}
      />
      <h2>By day</h2>
      <SpendingChart days={days} limitUsd={limitUsd} />
      <SpendingTable
        label="By day"
        first="Day"
        rows={days.filter(({ requests }) => requests > 0).map((each) => [each.day, each])}
      />
    </>
  );
}

/** The height of the chart, and the least height of a bar. */
const HEIGHT = 40;
const MIN_HEIGHT = 1;

/** A bar for each day; the table below has the same figures. */
function SpendingChart({ days, limitUsd }: { days: readonly DayUsage[]; limitUsd: number }) {
  const highest = Math.max(...days.map(({ spentUsd }) => spentUsd), Number.MIN_VALUE);
  const over = days.filter(({ spentUsd }) => spentUsd >= limitUsd).length;
  const label = `Spending on the last ${days.length} days: ${dollars(highest)} at most` +
    (over > 0 ? `; ${over} of them reached today’s limit` : "");
  return (
    <DaysChart
      label={label}
      height={HEIGHT}
      days={days.map(({ day, spentUsd }) => {
        const height = Math.max(MIN_HEIGHT, HEIGHT * spentUsd / highest);
        const bar = { y: HEIGHT - height, height, class: spentUsd > 0 ? "spent" : "left" };
        return { title: `${day}: ${dollars(spentUsd)}`, bars: [bar] };
      })}
    />
  );
}

/** Requests and spending by name; the first column has the names. */
function SpendingTable({ label, first, rows }: {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly [name: string, Pick<DayUsage, "requests" | "spentUsd">][];
}) {
  const cells = rows.map(([name, { requests, spentUsd }]) => [
    name,
    requests.toLocaleString("en"),
    dollars(spentUsd),
  ]);
  return <Table label={label} head={[first, "Requests", "Spent"]} rows={cells} />;
}

/** An amount with up to nine decimals: a request may cost a thousandth of a cent. */
function dollars(amount: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 9 };
  return `$${amount.toLocaleString("en", digits)}`;
}
