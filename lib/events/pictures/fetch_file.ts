/**
 * Fetches files at addresses that people typed into the record store or the configuration. None may lead into the
 * service's own network.
 */

import { readBounded } from "../../platform/http/body.ts";

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

/** A name that only a private network resolves. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)$/;
/** `URL` normalises every notation of an IPv4 address to this one. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * The address as a URL if it may be fetched, or else null: `https:` on its default port, a name with a dot, no
 * credentials. The trusted origins, those of the record store or of its stand-in, need no check. A private machine
 * has no valid certificate for a public name, so TLS fails before the request.
 */
export function fetchableUrl(
  address: string,
  trustedOrigins: ReadonlySet<string>,
  base?: URL,
): URL | null {
  const url = URL.parse(address, base);
  if (url === null || url.username !== "" || url.password !== "") return null;
  if (trustedOrigins.has(url.origin)) return url;
  const host = url.hostname.replace(/\.$/, "");
  // A second dot at the end would hide a local name.
  const isPublicName = host.includes(".") && !host.endsWith(".") && !host.startsWith("[") &&
    !IPV4.test(host) && !LOCAL_NAME.test(host);
  return url.protocol === "https:" && url.port === "" && isPublicName ? url : null;
}
