/** The small files that programs look for at a known address. */

/** They change with the configuration only. */
const MAX_AGE_SECONDS = 3_600;

/** A text of some lines. */
export function plainText(lines: readonly string[]): Response {
  return new Response(`${lines.join("\n")}\n`, {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": `max-age=${MAX_AGE_SECONDS}`,
    },
  });
}
