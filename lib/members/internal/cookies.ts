/** The cookies of members. No other part of the service reads a cookie. */

/**
 * Makes the cookies for an address. A browser accepts a cookie whose name begins with `__Host-` from this host alone
 * and only over TLS, so neither another subdomain nor the network can plant one (RFC 6265bis, 4.1.3.2). Over plain
 * http, which the configuration allows on this machine only, Safari would refuse such cookies.
 */
export function createCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith("https:");
  const prefix = isSecure ? "__Host-foyer_" : "foyer_";
  const flags = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const createCookie = (name: string) => ({
    /** Its value in a request; undefined if there is none, or more than one of that name. */
    read(headers: Headers): string | undefined {
      const start = `${prefix}${name}=`;
      const [value, ...others] = (headers.get("cookie") ?? "").split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(start));
      return others.length === 0 ? value?.slice(start.length) : undefined;
    },
    /** The `Set-Cookie` field that sets it. */
    set: (value: string, maxAgeSeconds: number) =>
      `${prefix}${name}=${value}; Max-Age=${maxAgeSeconds}; ${flags}`,
    /** The field that removes it. */
    remove: () => `${prefix}${name}=; Max-Age=0; ${flags}`,
  });
  return {
    session: createCookie("session"),
    /** The attempt to sign in that a `state` names: one cookie for each, since a person may begin in two tabs. */
    attempt: (state: string) => createCookie(`attempt_${state.slice(0, 12)}`),
    /** The text of a new key, from the response that created it to the page that shows it once. */
    newKey: createCookie("new_key"),
    /** The name of a form's result, from its response to the page that says so once. */
    done: createCookie("done"),
  };
}
