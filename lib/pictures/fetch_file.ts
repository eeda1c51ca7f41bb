/** Fetches a file at an address that people typed. */

import { readBounded } from "../http/mod.ts";
import { fetchableUrl } from "./fetchable_url.ts";

/** How a file is fetched. */
interface FetchFileOptions {
  readonly fetch: typeof fetch;
  readonly trustedOrigins: ReadonlySet<string>;
  /** The `Accept` header. */
  readonly accept: string;
  /** The download of a larger file is aborted. */
  readonly maxBytes: number;
}

const TIMEOUT_MILLISECONDS = 10_000;
const MAX_REDIRECTS = 3;

/**
 * Fetches the bytes of a file.
 *
 * @throws {Error} with the reason, a sentence about "it".
 */
export async function fetchFile(
  address: string,
  { fetch, trustedOrigins, accept, maxBytes }: FetchFileOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  let url = fetchableUrl(address, trustedOrigins);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    if (url === null) throw new Error("its address may not be fetched");
    // Each redirect is checked like the first address.
    const response = await fetch(url.href, { redirect: "manual", headers: { accept }, signal });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      url = fetchableUrl(location, trustedOrigins, url);
      continue;
    }
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`its server answered ${response.status}`);
    }
    const tooLarge = () => new Error(`it is larger than ${maxBytes} bytes`);
    return await readBounded(response.body, maxBytes, tooLarge);
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}
