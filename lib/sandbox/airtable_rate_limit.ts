// Airtable's limits: 5 requests a second for a base, above which a caller must wait 30 s; and a workspace's calls in
// a month.

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

/**
 * Makes a function that counts a call at the time `now` (milliseconds) and says whether it is within the quota of its
 * month (UTC).
 */
export function createQuota(callsPerMonth = Infinity): (now: number) => boolean {
  const counts = new Map<string, number>();

  return function withinQuota(now) {
    const month = new Date(now).toISOString().slice(0, 7);
    const calls = (counts.get(month) ?? 0) + 1;
    counts.set(month, calls);
    return calls <= callsPerMonth;
  };
}
