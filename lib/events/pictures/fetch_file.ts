/**
 * Fetches files at addresses that people typed into the record store or the configuration. None may lead into the
 * service's own network.
 */

import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { readBounded } from "../../platform/http/body.ts";
import type { Platform, ResolveName } from "../../platform/platform.ts";
import { withTimeout } from "../../platform/timeout.ts";

interface FetchFileOptions extends Pick<Platform, "fetch" | "resolveName"> {
  readonly trustedOrigins: ReadonlySet<string>;
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
  { fetch, resolveName, trustedOrigins, accept, maxBytes }: FetchFileOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  let url = fetchableUrl(address, trustedOrigins);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    if (url === null) throw new Error("its address may not be fetched");
    // Each redirect is checked like the first address.
    if (!trustedOrigins.has(url.origin)) await assertPublic(url.hostname, resolveName);
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

/** @throws {Error} if a name leads to an address that is not public, among others or alone. */
async function assertPublic(name: string, resolveName: ResolveName): Promise<void> {
  const found = await withTimeout(TIMEOUT_MILLISECONDS, resolveName(name), () => {
    throw new Error("its name is not looked up in time");
  });
  if (found !== null && (found.length === 0 || !found.every(isPublicAddress))) {
    throw new Error("its name leads to an address that is not public");
  }
}

/** Whether an address can be reached by everybody: it is of no special range in the IANA's registries. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === "unicast";
}

/** The codes of errors that say nothing about a name: there is no resolver, or it may not be used. */
const NO_RESOLVER: readonly unknown[] = [undefined, "ENOSYS", "ENOTSUP", "EPERM"];

/** Resolves a name with the system's resolver. */
export async function systemResolver(name: string): Promise<readonly string[] | null> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (NO_RESOLVER.includes(code)) return null;
    throw new Error("its name has no address", { cause: error });
  }
}
