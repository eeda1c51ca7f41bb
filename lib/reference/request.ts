/** A request of the reference: its path, its shell command, and how the page sends it. Runs in browsers too. */

const MAX_SHOWN_CHARACTERS = 20_000;
/** The response headers that the page shows. */
const SHOWN_HEADERS = [
  "content-type",
  "cache-control",
  "etag",
  "ratelimit",
  "retry-after",
  "x-spending-warning",
  "x-request-id",
];

/** Shown when a request fails without a response. */
export const NO_RESPONSE = "No response. Check your connection and try again.";

/** A request to this service. */
export interface ApiRequest {
  readonly url: string;
  readonly needsKey: boolean;
  /** The JSON of a POST; null for a GET. */
  readonly body: string | null;
}

/** The parts of a response that the page shows, as {@linkcode sendRequest} returns them. */
export type Reply = Awaited<ReturnType<typeof sendRequest>>;

/** The path with its parameters; an empty part of the path keeps its name, an empty query parameter is left out. */
export function fillPath(
  path: string,
  parameters: readonly { readonly name: string; readonly in: string }[],
  valueOf: (name: string) => string,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name) => valueOf(name) || whole);
  const query = parameters.filter((each) => each.in === "query" && valueOf(each.name) !== "")
    .map(({ name }) => `${name}=${valueOf(name)}`).join("&");
  return query === "" ? filled : `${filled}?${query}`;
}

/** The request as a shell command. The key is a shell variable, so that copying the command reveals no key. */
export function curlCommand({ url, needsKey, body }: ApiRequest): string {
  const lines = [`curl "${url}"`];
  if (needsKey) lines.push(`-H "Authorization: Bearer $FOYER_KEY"`);
  if (body !== null) {
    lines.push(`-H "Content-Type: application/json"`, `-d '${body.replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(" \\\n  ");
}

/**
 * Sends a request; `key` is "" for none. Never throws. The summary is status, duration and size, or
 * {@linkcode NO_RESPONSE}; JSON in the body is indented, and the body is null without a response.
 */
export async function sendRequest({ url, needsKey, body }: ApiRequest, key: string) {
  const headers = new Headers();
  // A header can hold ASCII only; the service rejects the replaced key.
  if (needsKey && key !== "") {
    headers.set("authorization", `Bearer ${key.replace(/[^!-~]/g, "?")}`);
  }
  if (body !== null) headers.set("content-type", "application/json");
  const method = body === null ? "GET" : "POST";
  const startedAt = performance.now();
  try {
    // A redirect could carry the request to another site.
    const init: RequestInit = { method, headers, body, cache: "no-store", redirect: "error" };
    const response = await fetch(url, init);
    const type = response.headers.get("content-type") ?? "";
    const isImage = type.startsWith("image/");
    const text = isImage ? "(a picture)" : await response.text();
    const duration = Math.round(performance.now() - startedAt);
    // HTTP/2 has no status text.
    const status = [response.status, response.statusText].filter(Boolean).join(" ");
    return {
      summary: `${status}, ${duration} ms, ${
        isImage ? type : `${text.length.toLocaleString("en")} characters`
      }`,
      headers: SHOWN_HEADERS.map((name) => [name, response.headers.get(name) ?? ""] as const)
        .filter(([, value]) => value !== ""),
      body: shorten(
        /\bjson\b/.test(type) ? indent(text) : text,
      ),
    };
  } catch {
    return { summary: NO_RESPONSE, headers: [], body: null };
  }
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n…` : text;
}

function indent(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    // The page shows a malformed body unchanged.
    return json;
  }
}
