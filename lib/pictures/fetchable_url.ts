/**
 * The rule for addresses of images that the service fetches. People type them into the record store, so none may lead into
 * the service's own network.
 */

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
