/** The content changes at most once a day, apart from changes of the configuration. */
const MAX_AGE_SECONDS = 3_600;

/** A small file that programs expect at a known address, from its lines. */
export function plainText(lines: readonly string[]): Response {
  return new Response(`${lines.join("\n")}\n`, {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": `max-age=${MAX_AGE_SECONDS}`,
    },
  });
}
