/**
 * Which addresses the service fetches images from. They come from the record store, where people type
 * them, so none may lead into the service's own network.
 */

/** What may be fetched. */
interface AddressRules {
  /** Origins that are trusted as they are: the record store's own, which may be a stand-in's. */
  readonly trustedOrigins: ReadonlySet<string>;
}

/** A name that only the service's own network would know. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)$/;
/** What `URL` makes of an IPv4 address in any notation. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * The address as a URL if it may be fetched, else null: `https:` on its own port, a name with a dot,
 * no credentials. A name that leads to a private machine has no certificate there that counts, so a
 * fetch over TLS ends before a request is sent.
 */
export function fetchableUrl(
  address: string,
  { trustedOrigins }: AddressRules,
  base?: URL,
): URL | null {
  const url = URL.parse(address, base);
  if (url === null || url.username !== "" || url.password !== "") return null;
  if (trustedOrigins.has(url.origin)) return url;
  const host = url.hostname.replace(/\.$/, "");
  // More than one dot at the end would hide what stands before it.
  const isPublicName = host.includes(".") && !host.endsWith(".") && !host.startsWith("[") &&
    !IPV4.test(host) && !LOCAL_NAME.test(host);
  return url.protocol === "https:" && url.port === "" && isPublicName ? url : null;
}
