/**
 * A member's spending as a chart, requested with the key that the member pastes. The key is kept in its field
 * and nowhere else; the field has no name, so that no form puts the key into an address.
 */

import { useRef, useState } from "preact/hooks";
import { Spending, Standing, Verdict } from "../components/shared/Spending.tsx";
import type { Usage } from "../lib/proxy/mod.ts";

const DAYS = 30;
const LOADING = "Loading…";
const NO_RESPONSE = "No response. Check your connection and try again.";

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
    // One element, because upstream Fresh keeps no order among several of an island.
    <div>
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
      {usage !== null && (
        <>
          <Standing usage={usage} />
          <Spending usage={usage} />
        </>
      )}
    </div>
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

/** A message of the service, with its code between backticks. */
function withCode(message: string) {
  return message.split("`").map((part, at) => at % 2 === 1 ? <code key={at}>{part}</code> : part);
}

/** An error: the fault, and then the remedy. */
function Refusal({ message }: { message: string }) {
  const [wrong = "", ...right] = message.split(/(?<=\.) /);
  return (
    <div class="verdict down">
      <p class="lede">{withCode(wrong)}</p>
      {right.length > 0 && <p>{withCode(right.join(" "))}</p>}
    </div>
  );
}
