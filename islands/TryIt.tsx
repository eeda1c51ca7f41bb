/** Sends the requests of the API reference that need no key, changed as one likes, to this very service. */

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** The whole of a sample that asks without a key; what it asks is between the quotes. */
const KEYLESS = /^curl "([^"]+)"$/;
/** More than anybody reads. */
const MAX_SHOWN = 20_000;

/** Puts a form below each such sample of the page. */
export default function TryIt() {
  useEffect(() => {
    const hosts = [...document.querySelectorAll(".sample")].flatMap((sample) => {
      const [, url] = KEYLESS.exec(sample.querySelector("code")?.textContent.trim() ?? "") ?? [];
      if (url === undefined) return [];
      const host = document.createElement("div");
      sample.after(host);
      // The samples name the service's public address; the live one is this page's.
      const { pathname, search } = new URL(url, location.href);
      render(<Attempt address={decodeURI(pathname) + search} />, host);
      return [host];
    });
    return () => {
      for (const host of hosts) {
        render(null, host);
        host.remove();
      }
    };
  }, []);
  return null;
}

function Attempt({ address }: { address: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [said, say] = useState("");
  const [body, setBody] = useState<string | null>(null);

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    say("Asking…");
    const answer = await ask(field.current?.value.trim() ?? "");
    say(answer.said);
    setBody(answer.body);
  }

  return (
    <form class="try" onSubmit={send}>
      <label>
        <span class="hidden">Address to try</span>
        <input ref={field} type="text" defaultValue={address} spellcheck={false} required />
      </label>
      <button type="submit">Try it</button>
      <p role="status">{said}</p>
      {body !== null && (
        <pre class="scroll" tabIndex={0} role="group" aria-label="Answer"><code>{body}</code></pre>
      )}
    </form>
  );
}

interface Answer {
  readonly said: string;
  readonly body: string | null;
}

async function ask(address: string): Promise<Answer> {
  if (!/^\/(?!\/)/.test(address)) {
    return { said: "The address begins with one slash: it is one of this service.", body: null };
  }
  const startedAt = performance.now();
  try {
    const response = await fetch(address);
    const text = await response.text();
    const took = Math.round(performance.now() - startedAt);
    // HTTP/2 has no words for a status.
    const status = [response.status, response.statusText].filter(Boolean).join(" ");
    const said = `${status}, ${took} ms, ${text.length.toLocaleString("en")} characters`;
    return { said, body: shown(text, response.headers.get("content-type") ?? "") };
  } catch {
    return { said: "There was no answer. Is the network there? Try again.", body: null };
  }
}

function shown(text: string, type: string): string {
  const whole = /\bjson\b/.test(type) ? indented(text) : text;
  return whole.length > MAX_SHOWN ? `${whole.slice(0, MAX_SHOWN)}\n…` : whole;
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    // Whatever came instead of JSON is what one wants to see.
    return json;
  }
}
