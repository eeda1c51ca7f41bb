/** A request as a shell command: in the reference's samples, and below them as somebody changes it. */

/** A quote between quotes, as shells have it. */
const QUOTE = `'\\''`;

/** What is sent, and where to. */
interface ShellRequest {
  readonly url: string;
  readonly needsKey: boolean;
  /** What is posted; null for a GET. */
  readonly body: string | null;
}

/** Writes the command; the key is a variable of the shell, so that nobody shows his own by a copy. */
export function curlCommand({ url, needsKey, body }: ShellRequest): string {
  const lines = [`curl "${url}"`];
  if (needsKey) lines.push(`-H "Authorization: Bearer $FOYER_KEY"`);
  if (body !== null) {
    lines.push(`-H "Content-Type: application/json"`, `-d '${body.replaceAll("'", QUOTE)}'`);
  }
  return lines.join(" \\\n  ");
}

/**
 * Reads from such a command what it asks.
 *
 * @throws {Error} if it is none.
 */
export function parseCurlCommand(command: string): ShellRequest {
  const [, url] = /^curl "([^"]+)"/.exec(command) ?? [];
  if (url === undefined) throw new Error(`Not a request: ${command}`);
  const [, body] = / -d '([^]*)'$/.exec(command) ?? [];
  return {
    url,
    needsKey: command.includes("$FOYER_KEY"),
    body: body?.replaceAll(QUOTE, "'") ?? null,
  };
}
