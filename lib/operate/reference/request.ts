/** The sample request of an operation: its address, and its shell command. */

/** A request to this service. */
export interface ApiRequest {
  readonly url: string;
  readonly needsKey: boolean;
  /** The JSON of a POST; null for a GET. */
  readonly body: string | null;
}

/** The path with its parameters; a query parameter without a value is left out. */
export function fillPath(
  path: string,
  parameters: readonly { readonly name: string; readonly in: string }[],
  valueOf: (name: string) => string,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name) => valueOf(name));
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
