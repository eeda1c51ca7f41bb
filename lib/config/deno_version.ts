/** The version of Deno that the service needs. */

/** The first version with Temporal and with Zstandard in `node:zlib`. */
const LEAST = [2, 7] as const;

/** The fault of a version such as `2.9.6`, as a sentence; null if it is new enough. */
export function findDenoFault(version: string): string | null {
  const [major = 0, minor = 0] = version.split(/[.+-]/).map(Number);
  const isEnough = major > LEAST[0] || major === LEAST[0] && minor >= LEAST[1];
  return isEnough ? null : `This is Deno ${version}. Foyer needs Deno ${LEAST.join(".")} or later.`;
}
