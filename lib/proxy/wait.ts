/**
 * How long a caller waits before it tries again: the headers that say so, in forms that every client understands.
 * From other forms, clients compute NaN or a time that is past, and retry at once.
 */

/** The `Retry-After` of an error that may pass, if the provider sends none that can be used. */
export const RETRY_SECONDS = "2";
/** Above it, official clients ignore `Retry-After` and try again within seconds, unless they are told not to. */
const PATIENCE_SECONDS = 60;
/** The longest wait that a timer of JavaScript can hold; it ends a longer one at once. */
const MAX_SECONDS = 2_147_483;
/** An HTTP date, without the form that leaves the zone to the reader (RFC 9110, section 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]+, [\w -]+ [\d:]{8} GMT$/;

/**
 * The provider's headers about a wait, as the caller gets them: `Retry-After` is a whole number of seconds or a date
 * ahead, and everything else becomes {@linkcode RETRY_SECONDS}.
 *
 * @param given a header of the provider's; null if it has none.
 * @param now epoch milliseconds.
 */
export function waitHeaders(
  given: (name: string) => string | null,
  now: number,
): Readonly<Record<string, string>> {
  const milliseconds = wholeNumber(given("retry-after-ms"));
  const retryAfter = given("retry-after");
  const shouldRetry = given("x-should-retry");
  if (milliseconds === null && retryAfter === null && shouldRetry === null) return {};
  const { text, seconds } = retryAfter !== null
    ? readWait(retryAfter, now)
    : milliseconds !== null
    ? waitOf(Math.ceil(milliseconds / 1000))
    : { text: null, seconds: 0 };
  return {
    ...(shouldRetry === "true" || shouldRetry === "false") && { "x-should-retry": shouldRetry },
    ...text !== null && { "retry-after": text },
    ...milliseconds !== null && { "retry-after-ms": String(milliseconds) },
    ...adviceFor(Math.max(seconds, (milliseconds ?? 0) / 1000)),
  };
}

/** `x-should-retry: false` beside a `Retry-After` in seconds that is longer than clients wait; else nothing. */
export function retryAdvice(headers: Readonly<Record<string, string>>): Record<string, string> {
  return adviceFor(Number(headers["retry-after"] ?? 0));
}

function adviceFor(seconds: number): Record<string, string> {
  return seconds > PATIENCE_SECONDS ? { "x-should-retry": "false" } : {};
}

function readWait(value: string, now: number) {
  const seconds = wholeNumber(value);
  if (seconds !== null) return waitOf(seconds);
  const at = HTTP_DATE.test(value) ? Date.parse(value) : NaN;
  const ahead = Math.ceil((at - now) / 1000);
  if (!(ahead > 0)) return waitOf(Number(RETRY_SECONDS));
  // Some readers take the two digits of an old form's year for another century.
  const text = ahead > MAX_SECONDS ? String(MAX_SECONDS) : new Date(at).toUTCString();
  return { text, seconds: ahead };
}

function waitOf(seconds: number) {
  return { text: String(Math.min(seconds, MAX_SECONDS)), seconds };
}

function wholeNumber(value: string | null): number | null {
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
