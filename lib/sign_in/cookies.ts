/** The three cookies of members. No other part of the service reads a cookie. */

/** The names of the cookies. */
interface CookieNames {
  /** A session. */
  readonly session: string;
  /** An attempt to sign in. */
  readonly attempt: string;
  /** The text of a new key, from the response that created it to the page that shows it once. */
  readonly newKey: string;
}

/** Reads and writes the cookies of one service. */
export interface Cookies {
  readonly names: CookieNames;
  /** A cookie of a request; undefined if there is none, or more than one of that name. */
  read(headers: Headers, name: string): string | undefined;
  /** A `Set-Cookie` field. */
  set(name: string, value: string, maxAgeSeconds: number): string;
  /** The field that removes a cookie. */
  remove(name: string): string;
}

/**
 * Makes the cookies for an address. A browser accepts a cookie whose name begins with `__Host-` from this host alone
 * and only over TLS, so neither another subdomain nor the network can plant one (RFC 6265bis, 4.1.3.2). Over plain
 * http, which the configuration allows on this machine only, Safari would refuse such cookies.
 */
export function createCookies(baseUrl: string): Cookies {
  const isSecure = baseUrl.startsWith("https:");
  const prefix = isSecure ? "__Host-foyer_" : "foyer_";
  const flags = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const set = (name: string, value: string, maxAgeSeconds: number) =>
    `${name}=${value}; Max-Age=${maxAgeSeconds}; ${flags}`;
  return {
    names: {
      session: `${prefix}session`,
      attempt: `${prefix}attempt`,
      newKey: `${prefix}new_key`,
    },
    read(headers, name) {
      const values = (headers.get("cookie") ?? "").split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      return values.length === 1 ? values[0] : undefined;
    },
    set,
    remove: (name) => set(name, "", 0),
  };
}
