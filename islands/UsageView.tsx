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
const LOADING = "Loading…";

/** The field for the key, and the usage of its account. */
export default function UsageView() {
  const field = useRef<HTMLInputElement>(null);
  const [usage, setUsage] = useState<Usage | null>(null);
  const [message, setMessage] = useState("");

  async function show(event: Event): Promise<void> {
    event.preventDefault();
    setMessage(LOADING);
    const usage = await fetchUsage(field.current?.value.trim() ?? "");
    setUsage(typeof usage === "string" ? null : usage);
    setMessage(typeof usage === "string" ? usage : "");
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
      <div role="status">
        {message === LOADING && <p class="lede">{message}</p>}
        {message !== "" && message !== LOADING && <Refusal message={message} />}
        {usage !== null && message === "" && <Verdict usage={usage} />}
      </div>
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

/** A message of the service, whose code stands between backticks. */
function withCode(message: string) {
  return message.split("`").map((part, at) => at % 2 === 1 ? <code key={at}>{part}</code> : part);
}

/** An error: what is wrong, and then what would be right. */
function Refusal({ message }: { message: string }) {
  const [wrong = "", ...right] = message.split(/(?<=\.) /);
  return (
    <div class="verdict down">
      <p class="lede">{withCode(wrong)}</p>
      {right.length > 0 && <p>{withCode(right.join(" "))}</p>}
    </div>
  );
}

/** From this part of the limit on, the bar is amber; responses carry a warning then too. */
const NEAR = 0.8;

/** How close an account is to its limit. Nothing is admitted once nothing is left. */
function stateOf({ spentUsd, reservedUsd, limitUsd, remainingUsd }: Usage) {
  if (remainingUsd <= 0) return "blocked";
  return spentUsd + reservedUsd >= NEAR * limitUsd ? "near" : "calm";
}

/** Today's spending in a sentence; where requests are refused, until when and whom to ask. */
function Verdict({ usage }: { usage: Usage }) {
  const { spentUsd, reservedUsd, limitUsd, remainingUsd, resetsAt } = usage;
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
  if (stateOf(usage) !== "blocked") {
    return (
      <p class="lede">
        {spent}, <Dollars amount={remainingUsd} /> left.
      </p>
    );
  }
  const until = moment(resetsAt);
  return (
    <div class="verdict down">
      <p class="lede">
        {spentUsd < limitUsd
          ? `Blocked until requests in progress end, at the latest until ${until}.`
          : `Blocked until ${until}.`}
      </p>
      <p>
        {spent}: further requests are refused. If you need a higher limit, ask the people who run
        this site.
      </p>
    </div>
  );
}

function Spending({ usage }: { usage: Usage }) {
  const { rateLimit: { limit, remaining, windowSeconds, resetsAt: nextAt }, resetsAt } = usage;
  const { spentUsd, reservedUsd, limitUsd } = usage;
  const part = (amount: number) => Math.min(100, limitUsd === 0 ? 0 : 100 * amount / limitUsd);
  const days = [usage, ...usage.days ?? []];
  const state = stateOf(usage);
  const minutes = Math.round(windowSeconds / 60);
  return (
    <>
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
        {state === "near" && "A fifth of today’s limit, or less, is left. "}
        The next day begins at {moment(resetsAt)}. {remaining > 0
          ? `${whole(remaining)} of ${whole(limit)} requests are left in ${minutes} minutes.`
          : `All ${whole(limit)} requests of ${minutes} minutes are used: ` +
            `the next one is possible at ${moment(nextAt)}.`}
      </p>
      <h2>By endpoint, today</h2>
      <SpendingTable
        label="By endpoint, today"
        first="Endpoint"
        rows={Object.entries(usage.byEndpoint)}
      />
      <h2>By day</h2>
      {days.some((each) => each.spentUsd > 0) && <SpendingChart days={days} limitUsd={limitUsd} />}
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
    <>
      <DaysChart
        label={label}
        height={HEIGHT}
        days={days.map(({ day, spentUsd }) => {
          const height = Math.max(MIN_HEIGHT, HEIGHT * spentUsd / highest);
          const bar = { y: HEIGHT - height, height, class: spentUsd > 0 ? "spent" : "left" };
          return { title: `${day}: ${dollars(spentUsd)}`, bars: [bar] };
        })}
      />
      <p class="fine">
        Last {days.length} days: <Dollars amount={highest} /> at most on a day
      </p>
    </>
  );
}

/** Requests and spending by name; the first column has the names. */
function SpendingTable({ label, first, rows }: {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly [name: string, Pick<DayUsage, "requests" | "spentUsd">][];
}) {
  const cells = rows.map(([name, { requests, spentUsd }]) =>
    [name, whole(requests), <Dollars key="spent" amount={spentUsd} />] as const
  );
  return <Table label={label} head={[first, "Requests", "Spent"]} rows={cells} />;
}

/** An amount to the cent; if it has more decimals, they are in a tooltip and read aloud. */
function Dollars({ amount }: { amount: number }) {
  const exact = dollars(amount);
  const short = amount > 0 && amount < 0.01 ? "<$0.01" : dollars(amount, 2);
  if (short === exact) return <>{exact}</>;
  return (
    <span class="amount" title={exact}>
      <span aria-hidden="true">{short}</span>
      <span class="hidden">{exact}</span>
    </span>
  );
}

/** An amount; a request may cost a thousandth of a cent, and all are whole nano-dollars. */
function dollars(amount: number, maximumFractionDigits = 9): string {
  return `$${amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits })}`;
}

/** A time of an ISO 8601 moment in UTC, and the visitor's if that differs: "00:00 UTC (01:00, your time)". */
function moment(at: string): string {
  const utc = at.slice(11, 16);
  const own = new Date(at).toLocaleTimeString("en-GB", { timeStyle: "short" });
  return `${utc} UTC${own === utc ? "" : ` (${own}, your time)`}`;
}

function whole(count: number): string {
  return count.toLocaleString("en");
}
