// Airtable's limit per base: 5 requests a second, and who passes it waits 30 s.

const REQUESTS_PER_SECOND = 5;
const PENALTY_MS = 30_000;

/**
 * Makes a function that counts a request at the time `now` (milliseconds) and says whether it is within the limit.
 * Requests that come during the 30 s fail and do not lengthen them.
 */
export function createRateLimit(): (now: number) => boolean {
  let recent: number[] = [];
  let blockedUntil = -Infinity;

  return function withinLimit(now) {
    if (now < blockedUntil) return false;
    recent = recent.filter((at) => at > now - 1000);
    if (recent.length >= REQUESTS_PER_SECOND) {
      blockedUntil = now + PENALTY_MS;
      recent = [];
      return false;
    }
    recent.push(now);
    return true;
  };
}
