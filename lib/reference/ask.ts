/** Asking this service from the page of the reference, and its answer as one reads it. */

/** More than anybody reads. */
const MAX_SHOWN = 20_000;
/** What one wants to know of an answer beside its body. */
const TOLD_HEADERS = [
  "content-type",
  "cache-control",
  "etag",
  "ratelimit",
  "retry-after",
  "x-spending-warning",
  "x-request-id",
];

/** What is asked. */
export interface Question {
  readonly url: string;
  readonly method: string;
  /** The key; "" if none is sent. */
  readonly secret: string;
  /** What is posted; null for a GET. */
  readonly body: string | null;
}

/** What came of it. */
export interface Answer {
  /** Status, time and size, or that nothing came. */
  readonly said: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON with its lines indented; null if nothing came. */
  readonly body: string | null;
}

/** Asks, and never throws. */
export async function ask({ url, method, secret, body }: Question): Promise<Answer> {
  const headers = new Headers();
  // A header can hold nothing else; what it is then, the service refuses.
  if (secret !== "") headers.set("authorization", `Bearer ${secret.replace(/[^!-~]/g, "?")}`);
  if (body !== null) headers.set("content-type", "application/json");
  const startedAt = performance.now();
  try {
    // A redirection would take the request to where nobody meant it to go.
    const init: RequestInit = { method, headers, body, cache: "no-store", redirect: "error" };
    const response = await fetch(url, init);
    const text = await response.text();
    const took = Math.round(performance.now() - startedAt);
    // HTTP/2 has no words for a status.
    const status = [response.status, response.statusText].filter(Boolean).join(" ");
    return {
      said: `${status}, ${took} ms, ${text.length.toLocaleString("en")} characters`,
      headers: TOLD_HEADERS.map((name) => [name, response.headers.get(name) ?? ""] as const)
        .filter(([, value]) => value !== ""),
      body: shown(text, response.headers.get("content-type") ?? ""),
    };
  } catch {
    const said = "There was no answer. Is the network there? Try again.";
    return { said, headers: [], body: null };
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
