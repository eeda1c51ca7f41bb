/**
 * What a member has spent, as a picture: asks this service with the key that somebody pastes. The key is
 * in the field and nowhere else; it has no name, so that no form ever puts it into an address.
 */

import { useRef, useState } from "preact/hooks";
import { Table } from "../components/Table.tsx";
import type { DayUsage, Usage } from "../lib/proxy/mod.ts";

const DAYS = 30;

/** The field for the key, and what came of it. */
export default function UsageView() {
  const field = useRef<HTMLInputElement>(null);
  const [usage, setUsage] = useState<Usage | null>(null);
  const [said, say] = useState("");

  async function show(event: Event): Promise<void> {
    event.preventDefault();
    say("Asking…");
    const answer = await askUsage(field.current?.value.trim() ?? "");
    setUsage(typeof answer === "string" ? null : answer);
    say(typeof answer === "string" ? answer : spentInWords(answer));
  }

  return (
    <>
      <form class="usage-form" onSubmit={show}>
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
      <p class="lede" role="status">{said}</p>
      {usage !== null && <Spending usage={usage} />}
    </>
  );
}

/** The usage, or what went wrong in words. */
async function askUsage(key: string): Promise<Usage | string> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`/proxy/v1/usage?days=${DAYS}`, { headers, cache: "no-store" });
    const body = await response.json();
    // What this service answers is what its type says.
    return response.ok ? body.data as Usage : String(body.error.message);
  } catch {
    return "There was no answer. Is the network there? Try again.";
  }
}

function spentInWords({ spentUsd, limitUsd, remainingUsd, reservedUsd }: Usage): string {
  const reserved = reservedUsd > 0 ? `, ${dollars(reservedUsd)} set aside` : "";
  return `${dollars(spentUsd)} of ${dollars(limitUsd)} spent today${reserved}, ` +
    `${dollars(remainingUsd)} left.`;
}

function Spending({ usage }: { usage: Usage }) {
  const { rateLimit: { limit, remaining, windowSeconds }, resetsAt, limitUsd } = usage;
  const days = [usage, ...usage.days ?? []];
  return (
    <>
      <Bar usage={usage} />
      <p>
        A new day begins at {inOwnTime(resetsAt)}, your time. {remaining.toLocaleString("en")} of
        {" "}
        {limit.toLocaleString("en")} requests are left in any {Math.round(windowSeconds / 60)}{" "}
        minutes.
      </p>
      <h2>By endpoint, today</h2>
      <Table
        label="By endpoint, today"
        head={["Endpoint", "Requests", "Spent"]}
        rows={Object.entries(usage.byEndpoint).map(([name, { requests, spentUsd }]) => [
          name,
          requests.toLocaleString("en"),
          dollars(spentUsd),
        ])}
      />
      <h2>By day</h2>
      <DaysPicture days={days} limitUsd={limitUsd} />
      <Table
        label="By day"
        head={["Day", "Requests", "Spent"]}
        rows={days.filter(({ requests }) => requests > 0).map(({ day, requests, spentUsd }) => [
          day,
          requests.toLocaleString("en"),
          dollars(spentUsd),
        ])}
      />
    </>
  );
}

/** Today against the limit: spent, set aside, left. */
function Bar({ usage }: { usage: Usage }) {
  const { spentUsd, reservedUsd, limitUsd } = usage;
  const part = (amount: number) => Math.min(100, limitUsd === 0 ? 0 : 100 * amount / limitUsd);
  const spent = part(spentUsd);
  return (
    <svg class="usage-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" class="left" />
      <rect width={part(spentUsd + reservedUsd)} height="4" class="reserved" />
      <rect width={spent} height="4" class="spent" />
    </svg>
  );
}

/** Units of the picture: from one day to the next, a day's width, and the height of the dearest. */
const STEP = 10;
const WIDTH = 7;
const HEIGHT = 40;
const LEAST = 1;

/** A bar for each day, the oldest first; the table below says the same. */
function DaysPicture({ days, limitUsd }: { days: readonly DayUsage[]; limitUsd: number }) {
  const dearest = Math.max(...days.map(({ spentUsd }) => spentUsd), Number.MIN_VALUE);
  const over = days.filter(({ spentUsd }) => spentUsd >= limitUsd).length;
  const label = `Spending on the last ${days.length} days: ${dollars(dearest)} at most` +
    (over > 0 ? `; ${over} of them reached today’s limit` : "");
  return (
    <svg
      class="usage-days"
      viewBox={`0 0 ${days.length * STEP - (STEP - WIDTH)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.toReversed().map(({ day, spentUsd }, index) => {
        const height = Math.max(LEAST, HEIGHT * spentUsd / dearest);
        return (
          <rect
            key={day}
            x={index * STEP}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
            class={spentUsd > 0 ? "spent" : "left"}
          >
            <title>{`${day}: ${dollars(spentUsd)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** Small amounts in full: a request may cost a thousandth of a cent. */
function dollars(amount: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 9 };
  return `$${amount.toLocaleString("en", digits)}`;
}

function inOwnTime(iso: string): string {
  return new Date(iso).toLocaleTimeString("en-GB", { timeStyle: "short" });
}
